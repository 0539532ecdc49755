// SPDX-License-Identifier: Apache-2.0
// A loop plan whose rounds are played one by one, all at once: for what has no steady state, as sums that
// fall ever further behind what they sum.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/schedule/loops/loop_buffers.h"
#include "engine/schedule/loops/loop_plan.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/schedule.h"

namespace shardscope {

// A loop plan with a number for each work of each round; rounds that repeat share their works.
class WrittenRounds {
 public:
  explicit WrittenRounds(const LoopPlan& loops);
  const WorkPlan& plan() const { return plan_; }
  WorkPlan& plan() { return plan_; }
  // Of a work that some block plays, in the first round of it; of one of the last two rounds that are alike,
  // as what comes after them says it.
  int32_t number(size_t block, int32_t work) const { return work + shift_[block]; }
  int32_t number_after(int32_t work) const;
  // How many works the plan would have; it must be so few that they can be numbered.
  static int64_t count(const LoopPlan& loops);

 private:
  int32_t need_of(const LoopBlock& block, int32_t work, int32_t number, int32_t need) const;

  const LoopPlan& loops_;
  WorkPlan plan_;
  std::vector<int32_t> shift_;  // by block, from planned numbers to written ones; behind them of what is last
};

// What was played.
struct RoundsPlayed {
  std::vector<DeviceTotals> devices;
  std::vector<int64_t> bytes_sent;  // by planned work, each time it is played
  int64_t events = 0;
  Moment last;
};

// None: there are too many rounds, or products ended in another order than that of the program, which
// LoopPlan::all_needs takes them to do. It gives up with a too_big error where it takes longer than `enough`.
Result<std::optional<RoundsPlayed>> play_rounds(const LoopPlan& loops, const Fabric& fabric,
                                                const std::vector<RoundBuffer>& buffers,
                                                const ScheduleOptions& options, const std::stop_token& stop,
                                                Picoseconds enough);

}  // namespace shardscope
