// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the factors that a view's dimension is a product of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardscope::inline numerics {

inline int64_t count_of(std::span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

// Products of the last 1, 2, … factors, without the product of all.
inline std::vector<int64_t> inner_products(std::span<const int64_t> factors) {
  std::vector<int64_t> products;
  int64_t product = 1;
  for (size_t i = factors.size(); i-- > 1;) products.push_back(product *= factors[i]);
  return products;
}

// Factors of `total` whose inner products contain all of `products`; none when these do not divide each
// other.
inline std::optional<std::vector<int64_t>> factors_with(std::vector<int64_t> products, int64_t total) {
  std::sort(products.begin(), products.end());
  std::vector<int64_t> factors;
  int64_t previous = 1;
  products.push_back(total);
  for (int64_t product : products) {
    if (product == previous) continue;
    if (product == 0 || product % previous != 0) return std::nullopt;
    factors.insert(factors.begin(), product / previous);
    previous = product;
  }
  if (factors.empty()) factors.push_back(total);
  return factors;
}

}  // namespace shardscope::inline numerics
