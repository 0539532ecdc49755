// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/cost.h"
#include "engine/grouped/grouped.h"
#include "engine/request/experiment.h"
#include "engine/run/numerics_report.h"

namespace shardscope::inline grouped {

// A grouped matmul as it is asked for, its arrays given or filled.
struct GroupedProblem {
  GroupedOp op = GroupedOp::gmm;
  int64_t m = 0, k = 0, n = 0;
  std::vector<int64_t> group_sizes;
  ElementType lhs_type = ElementType::f32, rhs_type = ElementType::f32;
  GroupedOptions options;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  std::optional<Array> lhs, rhs;  // rhs of gmm: the matrices of all groups, or of the local ones alone
};

// Sizes, schedule and cost: all that needs no arrays.
struct GroupedEstimate {
  GroupedShape shape;
  GroupMetadata metadata;
  GroupedCost cost;
};
Result<GroupedEstimate> estimate(const GroupedProblem& problem);

struct GroupedTolerance {
  std::optional<double> rtol, atol;  // unset: 0 for the integer fill, else by type as for other products
};
struct GroupedRun {
  GroupedResult result;
  GroupedCost cost;
  NumericsReport numerics;  // what nobody wrote is not compared
  Array lhs, rhs;           // the operands, as given or filled
};
Result<GroupedRun> run_grouped(const GroupedProblem& problem, const GroupedTolerance& tolerance,
                               const Workers& workers, const std::stop_token& stop);

}  // namespace shardscope::inline grouped
