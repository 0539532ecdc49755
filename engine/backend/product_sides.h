// SPDX-License-Identifier: Apache-2.0
// What XLA for GPUs makes of the arrays that products read and of what they make, before anything else is
// fused: DotDecomposer, layout assignment, TransposeFolding, GemmFusion and its autotuner.
#pragma once

#include <vector>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/kernel.h"

namespace shardscope::inline backend {

// A library reads sides whose batch dimensions come first, in order, and whose contracted dimensions stand
// together: others are transposed in front of it. The transpose of a plain product is the product of its
// sides the other way round.
void arrange_products(Computation& computation, FreshNames& fresh);

// What makes a side of a product of an array: elementwise with numbers or a vector beside it, transposed, in
// another shape; or of a few put together along what is neither of the batch nor contracted. Read by products
// alone; what another product does behind itself (product_behind.h) ends it.
struct MadeSide {
  std::vector<size_t> places;  // of the computation; the last one is the operand
  bool computes = false;       // it does more than move elements
  bool moves = false;          // it moves elements
};
MadeSide made_side(const Computation& computation, const ReadersOf& readers, const std::vector<bool>& behind,
                   const Instruction& product, size_t side);

// Each product makes the sides that are computed for products alone itself: a kernel by Triton would take
// them in, and where the library's kernel is faster, each product keeps its own.
void give_each_its_own(Computation& computation, FreshNames& fresh);

// Which products a library does with scratch memory, which it zeroes first: those with a side that is
// computed, and those that take longer than what Triton's kernel loses of them. They say so in their config.
// Sides of those with an `algorithm` are written once more, rounded to the type that they have: Triton's
// kernel was to convert them, and the library does not.
void choose_libraries(Computation& computation, const KernelClock& clock, FreshNames& fresh);

// Of such a computation: a product is one kernel with the sides that it makes and with what stands behind it,
// where Triton's kernel, which is slower, saves more than that; else its sides that are computed are kernels,
// and what the library does not do behind it is one.
std::vector<Kernel> plan_products(const Computation& computation, const KernelClock& clock);

}  // namespace shardscope::inline backend
