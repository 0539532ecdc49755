// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/compile_as.h"
#include "engine/backend/kernel_graph.h"

namespace shardscope {

// Puts a product into the kernel that alone reads it, element by element. XLA for TPUs does that with
// whatever follows; libraries for GPUs round, add a bias or an array and cut below zero.
void take_products(KernelGraph& graph, CompileAs as);

}  // namespace shardscope
