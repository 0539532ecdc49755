// SPDX-License-Identifier: Apache-2.0
// Shardy's passes behind propagation: reshards in front of and behind each operation whose arrays do not fit
// together, then what each reshard is made of.
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/partition/types/fitted_module.h"

namespace shardscope::inline partitioner {

// insert-explicit-reshards: an operation is done as its factors are split in most of its arrays; operands
// that lie otherwise, and its result, are copied by a reshard. Sums over split dimensions are partial and
// combined behind it. What has no factors, or shardings that the mesh's axes do not say, stays as it is.
Result<FittedModule> insert_reshards(const std::shared_ptr<const PropagatedModule>& spread,
                                     std::stop_token stop);

// reshard-to-collectives: each reshard step by step.
Result<FittedModule> reshards_to_collectives(const std::shared_ptr<const FittedModule>& resharded,
                                             std::stop_token stop);

}  // namespace shardscope::inline partitioner
