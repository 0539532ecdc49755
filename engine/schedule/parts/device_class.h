// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "engine/hardware/fabric.h"
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
  void communicates(TimeRange span) { sums_.communicates(span); }

  // When a lane begins its next work; none: nothing is to be done.
  std::optional<Picoseconds> next() const;
  // Begins what asks or is to begin `now`.
  void serve(const WorkPlan& plan, const Fabric& fabric, Picoseconds now, Follows& follows);

  const WorkSpan& span(int32_t work) const { return spans_[static_cast<size_t>(work)]; }
  bool done() const { return open_ == 0; }
  DeviceTotals totals(Picoseconds run) const { return sums_.in(run); }

 private:
  // A piece of work and when it has what it waits for, which may be yet to come.
  struct Waiting {
    Moment ready;
    int32_t work = 0;
    bool operator>(const Waiting& o) const {
      return std::tie(ready.time, work) > std::tie(o.ready.time, o.work);
    }
  };
  // A lane that is free takes the first of what is ready by (ready time, work).
  struct Queue {
    Moment free;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  };
  // Of a work or join some of what it waits for is there: the latest of it, whose that is.
  struct Partly {
    Moment latest;
    int32_t whose = -1;
  };
  void finish(const WorkPlan& plan, int32_t work, const Moment& end, Follows& follows);
  // Everything that `work` waits for is there.
  void ready(const WorkPlan& plan, int32_t work, const Moment& operand, Follows& follows);
  void play(const WorkPlan& plan, const Fabric& fabric, size_t queue, Follows& follows);
  void count_flops(const Work& work) {
    sums_.totals.flops += work.flops;
    sums_.totals.padded_flops += work.padded_flops;
  }

  std::array<Queue, 2> queues_;       // compute, copy
  std::vector<int32_t> waits_;        // by work and join
  std::map<int32_t, Partly> partly_;  // likewise
  std::vector<Waiting> at_once_;      // what takes no time: while it is done more may come
  std::vector<WorkSpan> spans_;       // by work
  int64_t open_ = 0;                  // works that are not done
  DeviceTally sums_;
};

}  // namespace shardscope::inline scheduler
