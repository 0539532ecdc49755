// SPDX-License-Identifier: Apache-2.0
// What ties the arrays of a module together while Shardy's propagation spreads their axes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/numbered.h"
#include "engine/partition/shardy/factor_rule.h"
#include "engine/partition/shardy/factor_spread.h"
#include "engine/partition/shardy/shardy_arrays.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline partitioner {

// All that a visit to an edge depends on but its arrays' axes: layers that are alike have the same kinds.
struct EdgeKind {
  uint32_t rule = 0;  // of Edges::rules
  FactorClass factor_class = FactorClass::other;
  FactorDirection allowed = FactorDirection::both;  // of a barrier
  bool single_use = true;                           // nobody else reads its operands
  // By array: the first that is the same one.
  std::vector<uint32_t> alike{};
  auto operator<=>(const EdgeKind&) const = default;

  // Which way a factor goes at a level of 0 … kRankLevels - 1, as far as the levels before go or further.
  FactorDirection at_level(FactorRule::Kind factor, int level) const;
};
inline constexpr int kRankLevels = 5;

// Arrays that one rule ties together: an operation's, or those that are the same.
struct Edge {
  uint32_t kind = 0;               // of Edges::kinds
  InstructionPlace through{};      // none: what only hands arrays over
  std::vector<uint32_t> arrays{};  // operands, then results
};

struct Edges {
  Numbered<FactorRule> rules;
  Numbered<EdgeKind> kinds;
  std::vector<Edge> all;
};
Edges edges_of(const Program& module, const ShardyArrays& arrays, const PropagationGuides& guides);

}  // namespace shardscope::inline partitioner
