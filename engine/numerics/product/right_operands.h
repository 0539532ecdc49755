// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "engine/numerics/product/product.h"

namespace shardscope::inline numerics {

// Which of several products read which right operands.
struct RightOperands {
  // Products that read the same ones, by their place: their rows share every packed panel.
  std::vector<std::vector<size_t>> groups;
  std::set<const MatrixView*> all;
  std::set<const MatrixView*> repeated;  // by other groups or in other terms

  explicit RightOperands(const std::vector<Product>& products);
};

}  // namespace shardscope::inline numerics
