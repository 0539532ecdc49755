// SPDX-License-Identifier: Apache-2.0
// Experts spread over a mesh axis: each place on it holds groups/size neighbouring matrices and works for
// their rows alone. Rows are not spread evenly, so the places are not equally busy.
#pragma once

#include <string>

#include "engine/grouped/grouped_run.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline grouped {

struct ExpertShard {
  std::vector<DeviceId> devices;  // at this place of the axis; more than one when other axes replicate
  GroupMetadata metadata;
  GroupedCost cost;
};

struct ExpertParallel {
  std::string axis;
  std::vector<ExpertShard> shards;  // by coordinate
  int64_t busiest = 0;              // the shard with the most visits, the first of equals
  // The busiest shard over the mean of all: 1 is balanced.
  double row_imbalance = 1, visit_imbalance = 1;
  // Own rows over the rows that all multiply, or wait, while the busiest works; none without a visit.
  std::optional<double> efficiency;
};

// `axis` empty: the first one. Errors: no such axis, groups that it does not divide, a problem that is a
// shard itself.
Result<ExpertParallel> expert_parallel(const GroupedProblem& problem, const Mesh& mesh,
                                       const std::string& axis);

// Runs each shard by itself on lhs and its own matrices of `rhs` (of all groups), and joins what they made as
// the mesh does: gmm by a sum, since each leaves 0 in the others' rows; tgmm by concatenation.
Result<Array> run_expert_parallel(const GroupedProblem& problem, const ExpertParallel& experts,
                                  const Array& lhs, const Array& rhs, const Workers& workers,
                                  const std::stop_token& stop);

}  // namespace shardscope::inline grouped
