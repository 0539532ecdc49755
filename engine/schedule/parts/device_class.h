// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/plan/work.h"
#include "engine/schedule/parts/section_play.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

// Devices that have done the same at the same times so far, and what that is: which works wait for what, what
// their compute and copy lanes have taken and will take, sums. It is copied when some of them go on
// otherwise.
class DeviceClass {
 public:
  // Of such a share of the normal speed; the plan outlives them.
  DeviceClass(const WorkPlan& plan, double speed, std::vector<int32_t> devices);

  std::vector<int32_t> devices;  // ascending

  // A work and when something is there: what it makes, or all that it waits for.
  struct There {
    Moment at;
    int32_t work = 0;
    bool operator>(const There& o) const { return std::tie(at.time, work) > std::tie(o.at.time, o.work); }
  };
  // What came of what was done: works that were played, with their ends, collectives that may begin.
  struct Follows {
    std::vector<There> played, ready;
  };
  Follows take_follows() { return std::exchange(follows_, {}); }
  // Works that wait for nothing.
  void begin();
  // What a collective comes to; `outcome` counts from `base`.
  void receive(int32_t work, const Outcome& outcome, const Moment& base);
  void communicates(TimeRange span) { sums_.communicates(span); }

  // When a lane begins its next work; none: nothing is to be done.
  std::optional<Picoseconds> next() const;
  // Begins what asks or is to begin `now`.
  void serve(Picoseconds now);

  const WorkSpan& span(int32_t work) const { return spans_[static_cast<size_t>(work)]; }
  bool done() const { return open_ == 0; }
  DeviceTotals totals(Picoseconds run) const { return sums_.in(run); }

 private:
  // A lane that is free takes the first of what is ready, which may be yet to come, by (ready time, work).
  struct Queue {
    Moment free;
    std::priority_queue<There, std::vector<There>, std::greater<>> waiting;
  };
  // Of a work or join some of what it waits for is there: the latest of it, whose that is.
  struct Partly {
    Moment latest;
    int32_t whose = -1;
  };
  void finish(const There& done);
  // Everything that a work waits for is there.
  void ready(const There& operand);
  void play(Queue& queue);

  const WorkPlan* plan_;
  double speed_;
  std::array<Queue, 2> queues_;       // compute, copy
  std::vector<int32_t> waits_;        // by work and join
  std::map<int32_t, Partly> partly_;  // likewise
  std::vector<There> at_once_;        // what takes no time: while it is done more may come
  Follows follows_;
  std::vector<WorkSpan> spans_;  // by work
  int64_t open_ = 0;             // works that are not done
  DeviceTally sums_;
};

}  // namespace shardscope::inline scheduler
