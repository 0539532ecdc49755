// SPDX-License-Identifier: Apache-2.0
// What the kernel of a product does with its result before it is written: XLA's GemmRewriter on GPUs, output
// fusion on TPUs.
#pragma once

#include <vector>

#include "engine/backend/compile_as.h"
#include "engine/backend/kernel_graph.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Puts a product into the kernel that alone reads it, element by element, as libraries for GPUs do: they
// round and cut below zero; what is added is planned before (product_sides.h). For TPUs: tpu_kernels.h.
void take_products(KernelGraph& graph);

// By instruction of the computation, whether a product's kernel does it: it changes nothing but what products
// and their sums made, element by element, or converts what a product adds to. None where a compiler has been
// over the program.
std::vector<bool> done_by_products(const Program& program, const Computation& computation, CompileAs as);

}  // namespace shardscope::inline backend
