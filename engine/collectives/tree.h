// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// Two binary trees, each with half of the array in segments; for an even number of ranks none is inner in
// both. all-reduce: up to the roots with sums and down again. broadcast and reduce: the trees stand on the
// ranks 1 … n-1 and rank 0 above both roots. P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full
// bandwidth broadcast, reduction and scan", 2009; NCCL.
class DoubleTreeSchedule final : public CollectiveSchedule {
 public:
  // `segments`: of what a tree carries.
  DoubleTreeSchedule(CollectiveKind kind, int32_t ranks, int32_t segments);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  // The parents of one of two trees on `ranks` ranks; -1: the root.
  static std::vector<int32_t> parents(int32_t ranks, bool second);

 private:
  struct Tree {
    std::vector<int32_t> parent, depth, first_child, children;  // children of r: [first_child[r], [r + 1])
    int32_t height = 0;
  };
  DoubleTreeSchedule(CollectiveKind kind, std::array<Tree, 2> trees, int32_t segments);
  static std::array<Tree, 2> trees(CollectiveKind kind, int32_t ranks);

  std::array<Tree, 2> trees_;
  int32_t height_;
  int32_t segments_;
};

}  // namespace shardscope::inline collectives
