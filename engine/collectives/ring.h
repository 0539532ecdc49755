// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// How shards go round.
//   one_way: r -> r+1, n-1 steps; one_way_down: r -> r-1.
//   halves: the first half of each shard goes up, the second one down, n-1 steps.
//   whole: whole shards both ways; for even n the shard from the far side comes in halves in the last step.
//   whole_oneside: the same, but that last shard comes whole, from below.
//   line: no link from the last rank to the first; shards flow both ways to the ends, n-1 steps.
enum class RingForm { one_way, one_way_down, halves, whole, whole_oneside, line };

// all-gather, reduce-scatter, and all-reduce as the one after the other, on n ranks in a row. Chunk
// c·chunks/n starts (gather) or ends (scatter) on rank c. What a rank sends in step s came to it in step s-1,
// or is its own. P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009.
class RingSchedule final : public CollectiveSchedule {
 public:
  // `one_axis`: the ranks stand on one axis, so that turning it turns the schedule.
  RingSchedule(CollectiveKind kind, RingForm form, int32_t ranks, bool one_axis = true);

  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  void append_step(int32_t step, std::vector<Transfer>& out) const override;
  // Chunks per shard, steps of the gather or of the scatter.
  static int32_t parts(RingForm form);
  static int32_t phase_steps(RingForm form, int32_t ranks);

 private:
  void gather(int32_t phase_step, int32_t r, Transfer base, std::vector<Transfer>& out) const;
  void scatter(int32_t phase_step, int32_t r, Transfer base, std::vector<Transfer>& out) const;
  // Of a rank at most once round away; no division, as this is asked for every transfer.
  int32_t wrapped(int32_t rank) const {
    return rank < 0 ? rank + ranks_ : rank >= ranks_ ? rank - ranks_ : rank;
  }
  Transfer up(Transfer base, int32_t source, int32_t shard, int32_t part, int32_t count) const;
  Transfer down(Transfer base, int32_t source, int32_t shard, int32_t part, int32_t count) const;

  RingForm form_;
  int32_t ranks_;
  int32_t parts_;
  int32_t phase_steps_;
};

}  // namespace shardscope::inline collectives
