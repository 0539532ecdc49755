// SPDX-License-Identifier: Apache-2.0
// Indices of arrays, counted in row-major order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stop_token>
#include <vector>

namespace shardscope::inline numerics {

inline std::vector<int64_t> row_major_strides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// The row-major place of an index: Σ index·stride.
inline int64_t flat_place(const std::vector<int64_t>& index, const std::vector<int64_t>& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0});
}

inline bool holds(const std::vector<int64_t>& dims, size_t d) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
}

// Calls body(index) for every index of an array of `dims`, in row-major order, until it is to stop.
template <class F>
void for_each_index(const std::vector<int64_t>& dims, const std::stop_token& stop, F&& body) {
  constexpr int64_t kBetweenStops = 4096;
  std::vector<int64_t> index(dims.size(), 0);
  if (std::count(dims.begin(), dims.end(), 0) > 0) return;
  for (int64_t n = 0;; ++n) {
    if (n % kBetweenStops == 0 && stop.stop_requested()) return;
    body(static_cast<const std::vector<int64_t>&>(index));
    size_t d = dims.size();
    while (d-- > 0) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

}  // namespace shardscope::inline numerics
