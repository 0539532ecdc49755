// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/numerics/plan/computation_plan.h"

namespace shardscope::inline numerics {

// Finds dots that a collective may add up as they are made, and small ones that read the same right operand
// and may run together: what the later ones read on the left is moved to before the first where that moves
// data only. `readers`: of each value. plan.sums is what it will be but for these; plan.order is that of the
// computation.
void plan_joint_dots(const Computation& computation, const std::vector<int>& readers, ComputationPlan& plan);

}  // namespace shardscope::inline numerics
