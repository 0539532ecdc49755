// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/run/spans.h"
#include "engine/schedule/parts/section_play.h"
#include "engine/schedule/simulator.h"
#include "engine/schedule/work.h"

namespace shardscope::inline scheduler {

// Devices that have done the same at the same times so far, and what that is: which works wait for what, what
// their compute and copy lanes have taken and will take, sums. It is copied when some of them go on
// otherwise.
class DeviceClass {
 public:
  DeviceClass(const WorkPlan& plan, std::vector<int32_t> devices);

  std::vector<int32_t> devices;  // ascending

  // A collective that has all it waits for.
  struct Ready {
    int32_t work = 0;
    Moment operand;
  };
  struct Played {
    int32_t work = 0;
    bool copies = false;
    Moment end;
  };
  // What comes of something.
  struct Follows {
    std::vector<Played> played;
    std::vector<Ready> ready;
  };
  // Works that wait for nothing.
  void begin(const WorkPlan& plan, Follows& follows);
  // What a collective comes to; `outcome` counts from `base`.
  void receive(const WorkPlan& plan, int32_t work, const Outcome& outcome, const Moment& base,
               Follows& follows);
  void communicates(Picoseconds start, Picoseconds end) {
    comm_.add({start, end});
    busy_.add({start, end});
  }
  void counts(const Outcome& outcome) {
    totals_.bytes_sent += outcome.bytes_sent;
    totals_.bytes_received += outcome.bytes_received;
    totals_.bytes_relayed += outcome.bytes_relayed;
  }

  // When a lane begins its next work; none: nothing is to be done.
  std::optional<Picoseconds> next() const;
  // Begins what asks or is to begin `now`.
  void serve(const WorkPlan& plan, const Fabric& fabric, Picoseconds now, Follows& follows);

  const WorkSpan& span(int32_t work) const { return spans_[static_cast<size_t>(work)]; }
  bool done() const { return open_ == 0; }
  DeviceTotals totals(Picoseconds run) const;

 private:
  // A piece of work and when it has what it waits for, which may be yet to come.
  struct Waiting {
    Moment ready;
    int32_t work = 0;
    auto key() const { return std::tuple(ready.time, work); }
  };
  // A lane that is free takes the first of what is ready by (ready time, work).
  struct Queue {
    Moment free;
    std::vector<Waiting> waiting;  // a heap
  };
  // Of a work or join some of what it waits for is there: the latest of it, whose that is.
  struct Partly {
    Moment latest;
    int32_t whose = -1;
  };
  void finish(const WorkPlan& plan, int32_t work, const Moment& end, Follows& follows);
  // True: it is done at once, at `operand`.
  bool ready_now(const WorkPlan& plan, int32_t work, Moment& operand, Follows& follows);
  void play(const WorkPlan& plan, const Fabric& fabric, size_t queue, Follows& follows);
  void count_flops(const Work& work) {
    totals_.flops += work.flops;
    totals_.padded_flops += work.padded_flops;
  }
  int32_t partly(int32_t node);

  std::array<Queue, 2> queues_;  // compute, copy
  std::vector<int32_t> waits_;   // by work and join
  std::vector<int32_t> slot_;    // likewise: in partly_, or -1
  std::vector<Partly> partly_;
  std::vector<int32_t> spare_;
  std::vector<WorkSpan> spans_;  // by work
  int64_t open_ = 0;             // works that are not done
  DeviceTotals totals_;
  Spans comm_, busy_;
};

}  // namespace shardscope::inline scheduler
