// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run/timeline.h"

namespace shardscope::inline scheduler {

// Puts events into a timeline's order (start, device, lane, instruction, chunk; then as they came) while they
// come. A simulation makes them by time, so only what starts together is sorted, while it is at hand. Where a
// call says at once when all of its messages go, finish() sorts them once more.
class EventOrder {
 public:
  // `devices`: of the events. `cause` of an added event is the number that add() gave to an earlier one.
  explicit EventOrder(int32_t devices) : devices_(devices) {}
  // Room for so many.
  void expect(int64_t events);
  int64_t size() const { return static_cast<int64_t>(events_.size()); }

  int64_t add(const Event& event) {
    if (event.start != start_) begin(event.start);
    if (in_order_ && events_.size() > begin_ && comes_before(event, events_.back())) in_order_ = false;
    events_.push_back(event);
    return size() - 1;
  }
  // Everything in its order, each cause the place of the event; numbers of add() are looked up by place_of.
  std::vector<Event> finish();
  int32_t place_of(int64_t number) const {
    return places_.empty() ? static_cast<int32_t>(number) : places_[static_cast<size_t>(number)];
  }

 private:
  static bool comes_before(const Event& a, const Event& b) {
    if (a.device != b.device) return a.device < b.device;
    if (a.lane != b.lane) return a.lane < b.lane;
    return a.instruction != b.instruction ? a.instruction < b.instruction : a.chunk < b.chunk;
  }
  void begin(Picoseconds start);
  void seal();
  void sort_together();
  void sort_all();

  int32_t devices_;
  std::vector<Event> events_;
  std::vector<int32_t> places_;  // by number; empty: all stand where they were added
  size_t begin_ = 0;             // of the events that start together, the last
  Picoseconds start_ = -1;
  bool in_order_ = true;  // those
  bool by_time_ = true;   // all
  std::vector<int32_t> first_, order_;
  std::vector<Event> moved_;
};

}  // namespace shardscope::inline scheduler
