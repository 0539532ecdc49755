// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/compile_as.h"
#include "engine/backend/kernel_graph.h"

namespace shardscope::inline backend {

// Makes one kernel of two that read the same array, or of which one reads what the other makes, where both go
// through as many elements and none waits for the other by way of a third: it is read once. XLA's kernels for
// GPUs that reduce rows and use the sum in the same kernel are Triton's, which make one array.
void join_side_by_side(KernelGraph& graph, CompileAs as);

}  // namespace shardscope::inline backend
