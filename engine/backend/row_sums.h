// SPDX-License-Identifier: Apache-2.0
// Which reductions XLA for GPUs does in the kernel that uses them (SoftmaxRewriterTriton's diamonds).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Reductions of a computation that are the root of a kernel: those that several use; and those whose result
// is not spread along their rows again, beside what they were made of element by element, as in softmax and
// normalisation – unless such a one stands in front of them in the same work. Ascending.
std::vector<int32_t> sums_of_their_own(const Computation& computation);

}  // namespace shardscope::inline backend
