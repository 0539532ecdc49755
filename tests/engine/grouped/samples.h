// SPDX-License-Identifier: Apache-2.0
// Arrays of a formula, and the straightforward product that everything is compared with.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "engine/grouped/grouped.h"

namespace shardscope {

inline Array array_of(ElementType type, std::vector<int64_t> dims,
                      const std::function<double(int64_t flat)>& value) {
  Array out = Array::allocate(type, std::move(dims));
  for (int64_t i = 0; i < out.element_count(); ++i) {
    if (type == ElementType::bf16) {
      out.mutable_as<uint16_t>()[static_cast<size_t>(i)] = bf16_from_f64(value(i));
    } else {
      out.mutable_as<float>()[static_cast<size_t>(i)] = static_cast<float>(value(i));
    }
  }
  return out;
}

inline Array random_integers(ElementType type, std::vector<int64_t> dims, std::mt19937& random, int limit) {
  std::uniform_int_distribution<int> pick(-limit, limit);
  return array_of(type, std::move(dims), [&](int64_t) { return pick(random); });
}

// Sizes of `groups` groups that sum to m; about a third are empty.
inline std::vector<int64_t> random_sizes(int64_t groups, int64_t m, std::mt19937& random) {
  std::vector<int64_t> out(static_cast<size_t>(groups), 0);
  std::vector<size_t> open;
  for (size_t g = 0; g < out.size(); ++g) {
    if (random() % 3 != 0) open.push_back(g);
  }
  if (open.empty()) open.push_back(random() % out.size());
  for (int64_t row = 0; row < m; ++row) ++out[open[random() % open.size()]];
  return out;
}

// Matrices [first, first + count) of a stack of them.
inline Array matrices_of(const Array& stack, int64_t first, int64_t count) {
  const int64_t size = stack.dims()[1] * stack.dims()[2];
  return array_of(stack.type(), {count, stack.dims()[1], stack.dims()[2]},
                  [&](int64_t i) { return stack.at(first * size + i); });
}

}  // namespace shardscope
