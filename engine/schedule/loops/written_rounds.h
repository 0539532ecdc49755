// SPDX-License-Identifier: Apache-2.0
// Three ways to play a loop plan: all of its rounds one by one, a few of a steady state, or as lines what
// falls ever further behind, as sums that take longer than what they sum.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/plan/loops/loop_buffers.h"
#include "engine/plan/loops/loop_plan.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

// A loop plan with a number for each work of each round; rounds that repeat share their works.
class WrittenRounds {
 public:
  // A play of them gives up where it takes longer than `enough`.
  explicit WrittenRounds(const LoopPlan& loops, Picoseconds enough = std::numeric_limits<Picoseconds>::max());
  const WorkPlan& plan() const { return plan_; }
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
  LastEvent last;
};

// To what a device did what it does `times` over.
inline void add_times(const DeviceTotals& one, int64_t times, DeviceTotals& sum) {
  for (Picoseconds DeviceTotals::*of :
       {&DeviceTotals::compute, &DeviceTotals::comm, &DeviceTotals::exposed, &DeviceTotals::idle,
        &DeviceTotals::bytes_sent, &DeviceTotals::bytes_received, &DeviceTotals::bytes_relayed})
    sum.*of += one.*of * times;
}

// What is asked of a play.
struct RoundsRequest {
  const LoopPlan& loops;
  const Fabric& fabric;
  const std::vector<RoundBuffer>& buffers;
  const ScheduleOptions& options;
};

// All that happened in a play; by number · devices + device when works were at work.
struct RoundsTrace : PlayWatch {
  std::vector<WorkSpan> spans;
};

// Plays all rounds one by one. None: products ended in another order than that of the program, which
// LoopPlan::needs takes them to do. It gives up with a too_big error where it takes longer than they may.
Result<std::optional<RoundsPlayed>> play_rounds(const RoundsRequest& asked, const WrittenRounds& written,
                                                const std::stop_token& stop, RoundsTrace* trace = nullptr);
// At a time so many more rounds of a block make what they keep.
struct RoundsLeftOut {
  size_t block = 0;
  Picoseconds at = 0;
  int64_t rounds = 0;
};
// The most bytes that each device has at once, of what was played (`spans` by number · devices + device).
void find_peaks(const RoundsRequest& asked, const WrittenRounds& written, const std::vector<WorkSpan>& spans,
                const std::vector<RoundsLeftOut>& left_out, RoundsPlayed& played);
// Whether a play of them all has room.
bool can_be_played(const LoopPlan& loops, const Fabric& fabric);

// What a play of all rounds would do, of a play of a few of them: of each loop that has more, `rounds` and
// up to eleven; what a period of its steady state adds stands for the others. None: some loop is not seen to
// be in one. Errors: cancelled.
Result<std::optional<RoundsPlayed>> play_steadily(const RoundsRequest& asked, int64_t rounds,
                                                  const std::stop_token& stop);
// Rounds that follow each other at fixed distances in one go, in a time that does not depend on how many
// there are; none where that cannot be shown to be the same, or where `most_played` rounds would be played
// one by one.
Result<std::optional<RoundsPlayed>> play_as_lines(const RoundsRequest& asked, int64_t most_played,
                                                  const std::stop_token& stop);

}  // namespace shardscope::inline scheduler
