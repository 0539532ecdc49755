// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run/timeline.h"
#include "engine/schedule/busy_time.h"
#include "engine/schedule/moment.h"

namespace shardscope {

// Where the simulation's events go: kept, or only summed per device. Memory of the sums is O(devices).
class Recorder {
 public:
  Recorder(int32_t devices, bool keep_events)
      : keep_(keep_events), totals_(static_cast<size_t>(devices)), busy_(static_cast<size_t>(devices)) {}

  bool keeps_events() const { return keep_; }
  // Number of the event, by which later ones name it as their cause.
  int64_t add(const Event& event) {
    events_.push_back(event);
    return static_cast<int64_t>(events_.size()) - 1;
  }
  // `end`: when the event ends and by what chain.
  void count(const Moment& end) {
    ++event_count_;
    if (end.time > last_.time || event_count_ == 1) last_ = end;
  }
  void compute(int32_t device, Picoseconds start, Picoseconds end, Picoseconds now) {
    totals_[static_cast<size_t>(device)].compute += end - start;
    busy_[static_cast<size_t>(device)].any.add(start, end, now);
  }
  void communicates(int32_t device, Picoseconds start, Picoseconds end, Picoseconds now) {
    Busy& busy = busy_[static_cast<size_t>(device)];
    if (busy.comm.covers(start, end)) return;
    busy.comm.add(start, end, now);
    busy.any.add(start, end, now);
  }
  DeviceTotals& totals(int32_t device) { return totals_[static_cast<size_t>(device)]; }
  int64_t event_count() const { return event_count_; }

  // Moves everything into the timeline: total, events in their order, totals, critical path.
  void finish(Timeline& timeline);

 private:
  struct Busy {
    BusyTime comm, any;  // any: comm ∪ compute
  };
  void sort_events(Timeline& timeline);

  bool keep_;
  int64_t event_count_ = 0;
  Moment last_;
  std::vector<Event> events_;
  std::vector<DeviceTotals> totals_;
  std::vector<Busy> busy_;
};

}  // namespace shardscope
