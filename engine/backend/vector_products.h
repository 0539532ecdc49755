// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Products of floating-point arrays of which one side has no dimension of its own – for each index of the
// batch a vector – are no products for XLA's compiler for GPUs but sums over what is multiplied element by
// element, in f32 (AlgebraicSimplifier's dot strength reduction: so it compiles one step of decoding with a
// cache, and the dispatch of a mixture of experts).
void sum_vector_products(Program& program, FreshNames& fresh);

}  // namespace shardscope::inline backend
