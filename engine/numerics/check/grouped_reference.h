// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/program/ir/definition.h"

namespace shardscope::inline numerics {

// Y[m,n]: rows of X[m,k] times their own group's block of W, whose matrices [k,n] stand below each other in
// [groups·k, n]. One reference_product per group, rounded once. Refuses runs that are not the rows of X or
// name a group that W does not have.
Result<Array> grouped_reference(const Definition& definition, const Array& X, const Array& W,
                                const Workers& workers, const std::stop_token& stop);

}  // namespace shardscope::inline numerics
