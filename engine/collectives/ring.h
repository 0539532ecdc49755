// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/collective.h"

namespace shardscope {

// How shards go round.
//   one_way: r -> r+1, n-1 steps.
//   halves: the first half of each shard goes up, the second one down, n-1 steps.
//   whole: whole shards both ways; for even n the shard from the far side comes in halves in the last step.
//   line: no link from the last rank to the first; shards flow both ways to the ends, n-1 steps.
enum class RingForm { one_way, halves, whole, line };

// all-gather, reduce-scatter, and all-reduce as the one after the other, on n ranks in a row. Chunk
// c·chunks/n starts (gather) or ends (scatter) on rank c. What a rank sends in step s came to it in step s-1,
// or is its own. P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009.
class RingSchedule final : public CollectiveSchedule {
 public:
  RingSchedule(CollectiveKind kind, RingForm form, int32_t ranks);

  int32_t ranks() const override { return ranks_; }
  int32_t chunks() const override { return ranks_ * parts_; }
  int32_t steps() const override;
  void append_step(int32_t step, std::vector<Transfer>& out) const override;
  bool rotation_symmetric() const override { return form_ != RingForm::line; }

 private:
  int32_t phase_steps() const;  // of the gather, or of the scatter
  void gather_step(int32_t phase_step, Transfer base, std::vector<Transfer>& out) const;
  void scatter_step(int32_t phase_step, Transfer base, std::vector<Transfer>& out) const;
  // Of a rank at most once round away; no division, as this is asked for every transfer.
  int32_t wrapped(int32_t rank) const {
    return rank < 0 ? rank + ranks_ : rank >= ranks_ ? rank - ranks_ : rank;
  }
  Transfer up(Transfer base, int32_t source, int32_t shard, int32_t part, int32_t count) const;
  Transfer down(Transfer base, int32_t source, int32_t shard, int32_t part, int32_t count) const;

  CollectiveKind kind_;
  RingForm form_;
  int32_t ranks_;
  int32_t parts_;  // chunks per shard
};

}  // namespace shardscope
