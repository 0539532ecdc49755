// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/numerics/array/buffer_pool.h"
#include "engine/numerics/array/loops.h"
#include "engine/numerics/array/matrix_view.h"
#include "engine/numerics/product/micro_kernel.h"

namespace shardscope::inline numerics {

// Of a product's operands; as bits they add up.
enum class OperandSide : uint8_t { left = 1, right = 2 };

// The panels of an operand that several products read on the same side: made by the first of them.
struct KeptPanels {
  Array memory;
};

// One device's C[m,n] = (C or 0) + Σ A_t·B_tᵀ over its terms, A_t[m,k_t] and B_t[n,k_t] (rows are free,
// columns contracted). C is row-major and of the product_type of the operands.
struct Product {
  struct Term {
    std::shared_ptr<const MatrixView> a, b;
    std::shared_ptr<KeptPanels> kept_a{}, kept_b{};  // none: the panels are not needed again
    bool apart = false;  // the terms before it are a sum of their own, to which what follows is added
  };
  std::vector<Term> terms;
  std::byte* c = nullptr;
  bool accumulate = false;
};

// Runs one product per device. All have the same shapes and element types, and equal matrices are the same
// object: those are packed once for all devices. The sum over k is cut by the shapes alone (and `isa` chooses
// whether multiply-adds round once or twice), so the bits do not depend on the number of threads. Returns
// early, with C half done, when stop is requested.
void run_products(std::vector<Product> products, BufferPool& pool, Loops& loops, Isa isa = best_isa());
// Terms with together at most so much of k are one sum from zero on; more of it is cut into several.
int64_t deepest_sum(ElementType product_type);
void run_products(std::vector<Product> products, BufferPool& pool, const Workers& workers,
                  const std::stop_token& stop, Isa isa = best_isa());

}  // namespace shardscope::inline numerics
