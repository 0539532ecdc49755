// SPDX-License-Identifier: Apache-2.0
// Plays a loop plan, rounds that follow each other at fixed distances in one go.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/schedule/loops/block_play.h"
#include "engine/schedule/loops/loop_buffers.h"
#include "engine/schedule/loops/series.h"
#include "engine/schedule/loops/written_rounds.h"

namespace shardscope::inline scheduler {

// Of all that was played.
struct LoopTotals : RoundsPlayed {
  std::vector<std::vector<Series>> computing, sending;  // spans by device; sending: and receiving
  std::vector<std::vector<Series>> memory;              // changes by device, of what rounds make
  std::vector<WorkSpan> spans;  // by work · devices + device; of rounds that repeat the last
};

// Rounds j, j + p, j + 2p, … whose clocks differ by one vector d each time: if a round that begins x + i · d
// later, part by part, ends so for i = 0, 1 and R - 1, by the same decisions (what each lane took, one after
// the other, and whether it had waited for it), all of the R do. Under fixed decisions each time is the
// latest of sums of the clocks, so convex in i; a convex function that meets a line at 0, 1 and R - 1 is that
// line between. Decisions compare such lines: those that hold at both ends hold between. Moments are compared
// by time, then by their parts, which is an order of vectors in which the same is true.
class LoopPlayer {
 public:
  LoopPlayer(const LoopPlan& loops, const Fabric& fabric, bool overlap, std::vector<RoundBuffer> buffers,
             std::stop_token stop);
  // False: only a play in full can tell, or `most_played` rounds were played one by one.
  Result<bool> run(int64_t most_played);
  const LoopTotals& totals() const { return totals_; }

 private:
  Result<bool> repeat(const LoopBlock& block);
  // As many of the `left` rounds as can be shown to follow `clocks` at distances that its last ones had; 0:
  // none.
  Result<int64_t> leap(const LoopBlock& block, int64_t left);
  Result<bool> plays_as_line(const LoopBlock& block, int64_t period, int64_t times);
  Result<bool> round(const LoopBlock& block, const Clocks& from, int64_t period, std::vector<BlockPlay>& out,
                     std::vector<int64_t>& after);
  int64_t period() const;
  void add(const LoopBlock& block, const BlockPlay& play, const BlockPlay* next, int64_t times);
  void add_spans(const BlockPlay& play, const BlockPlay* next, int64_t times);
  std::vector<int64_t> ends_of_buffers(const LoopBlock& block, const BlockPlay& play) const;
  void add_memory(const LoopBlock& block, const BlockPlay& play, const BlockPlay* next, int64_t times);

  const LoopPlan& loops_;
  BlockPlayer player_;
  std::vector<RoundBuffer> buffers_;
  LoopTotals totals_;
  Clocks clocks_;
  std::vector<std::vector<int64_t>> before_;  // the clocks of the last rounds, the newest last
  int64_t rounds_played_ = 0, most_played_ = 0;
};

}  // namespace shardscope::inline scheduler
