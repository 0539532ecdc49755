// SPDX-License-Identifier: Apache-2.0
// Runs any HLO module on the devices of its mesh, with arguments as they are: no data of a matmul problem, no
// reference.
#pragma once

#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/numerics/rules/run_limits.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// arguments[leaf][device]: the leaves of the entry's parameters in order of parameter number and, of a tuple,
// pre-order; each has the shape that the module says. Results likewise [leaf of the root][device]. A module
// without num_partitions runs on one device. Errors: arguments that do not fit, an opcode that cannot be run,
// named. `seconds`: where to write what the execution alone took.
Result<std::vector<std::vector<Array>>> run_on_devices(const Program& module,
                                                       const std::vector<std::vector<Array>>& arguments,
                                                       const Workers& workers, const RunLimits& limits,
                                                       double* seconds = nullptr);

// Shapes of those leaves, tuples flattened.
std::vector<Shape> parameter_leaves(const Program& module);
std::vector<Shape> result_leaves(const Program& module);

}  // namespace shardscope::inline numerics
