// SPDX-License-Identifier: Apache-2.0
// A program with loops as works of which some are played many times over: planned with a few rounds of each
// loop, however many it has.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/dependencies.h"
#include "engine/plan/plan_summary.h"
#include "engine/plan/to_index.h"
#include "engine/plan/work.h"

namespace shardscope::inline planner {

// Rounds that a period of a loop may have, which all divide the last.
inline constexpr std::array<int64_t, 6> kPeriods{1, 2, 3, 4, 6, 12};

// A loop of the entry: the step that its first round has, each further round the next.
struct SteppedLoop {
  int32_t step = 0;
  int64_t rounds = 0;
};

// The loops of the entry in their order; none: it calls what is not known by steps, or a loop's rounds are
// not.
std::optional<std::vector<SteppedLoop>> stepped_loops(const Program& program);

// The program written out, of each loop of `long_from` rounds or more only so many `rounds`.
Result<Program> written_out_shortly(const Program& program, int64_t long_from, int64_t rounds);

// A round waits for so many before it at most. Rounds that are planned of a loop: those and one more that
// find it beginning, as many that must be alike and stand for all in between, as many that find it ending.
inline constexpr int32_t kReach = 5, kFirstLike = kReach + 1, kPlannedRounds = 3 * kReach + 1;

// A stretch of the plan; a round of a loop is played `times` over with other clocks. That one waits for works
// of kReach rounds before it in the plan, for some of its own, and for some from before the loop. What comes
// after the loop waits for as many rounds of it at most, for which this one and those behind it stand, which
// no block plays.
struct LoopBlock : WorkStretch {
  bool repeats() const { return times > 1; }
  size_t size() const { return end - begin; }
  bool has(int32_t work) const { return to_index(work) >= begin && to_index(work) < end; }
  // Where the round begins that is so many before or behind it in the plan.
  size_t before(int32_t rounds) const { return begin - static_cast<size_t>(rounds) * size(); }
  size_t behind(int32_t rounds) const { return begin + static_cast<size_t>(rounds) * size(); }
  size_t first_needed() const { return before(kReach); }
  // Where the planned rounds of its loop begin, and whether a work is of one of the first so many of them.
  size_t loop() const { return before(kFirstLike); }
  bool has_in_rounds(int32_t work, int32_t rounds) const {
    return to_index(work) >= loop() && to_index(work) < loop() + to_index(rounds) * size();
  }
  size_t rest() const { return behind(kReach); }  // what is played after it
  bool operator==(const LoopBlock&) const = default;
};

struct LoopPlan {
  Program program;  // written out with few rounds
  WorkPlan plan;
  std::vector<LoopBlock> blocks;
  // By work: the works that it waits for, sorted; of products of a loop's rounds those of the last few.
  std::vector<Needs> needs;
  // By work, of products: whether it is left out somewhere, and whether it must then end after those.
  std::vector<bool> is_left{}, stands_for_left{};

  // The block that plays a work; of alike rounds that none plays, the end.
  std::vector<LoopBlock>::const_iterator block_of(int32_t work) const {
    return std::ranges::find_if(blocks, [&](const LoopBlock& b) { return b.has(work); });
  }
};

// None where the rounds of some loop are not alike, or wait for more than the few before them: then it can
// only be played in full. Errors: as plan_work.
Result<std::optional<LoopPlan>> plan_loops(const Program& program, const Hardware& hardware,
                                           const Fabric& fabric, const PlanOptions& options,
                                           AlgorithmChooser& fastest, const std::stop_token& stop);

}  // namespace shardscope::inline planner
