// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/builder.h"

namespace shardscope {

// Y = X·W for arrays that are already split: which collectives a partitioner needs follows from the two
// specs. Of the contraction, what both arrays split alike stays split and gives partial sums; every other
// axis is gathered. An axis that splits both m of X and n of W is gathered on the smaller array. Y comes out
// as the operands leave it, partial sums added up, or as `out` asks: gathered, or sliced where devices hold
// more than they need. Specs name axes of the mesh; `builder` has no roles.
Result<Program> sharded_matmul(SpmdBuilder& builder, const MatmulProblem& problem, const PartitionSpec& lhs,
                               const PartitionSpec& rhs, const std::optional<PartitionSpec>& out);

}  // namespace shardscope
