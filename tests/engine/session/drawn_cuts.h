// SPDX-License-Identifier: Apache-2.0
// Numbers and shardings by a seed, for modules that are written as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <random>
#include <string>
#include <vector>

namespace shardscope::testing {

class Drawing {
 public:
  explicit Drawing(uint32_t seed) : random_(seed) {}

  int64_t draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  // Some dimensions are cut by the axes of a mesh 2x2x2 in any order; "" for no sharding.
  std::string cut(size_t rank) {
    std::vector<int64_t> counts(rank, 1), axes{0, 1, 2};
    int64_t left = 8;
    for (int64_t times = draw(0, 3); times-- > 0; left /= 2)
      counts[static_cast<size_t>(draw(0, static_cast<int64_t>(rank) - 1))] *= 2;
    if (left == 8) return "";
    for (size_t k = axes.size(); k-- > 1;)
      std::swap(axes[k], axes[static_cast<size_t>(draw(0, static_cast<int64_t>(k)))]);
    return fmt::format(", sharding={{devices=[{}{}]<=[2,2,2]T({}){}}}", fmt::join(counts, ","),
                       left > 1 ? fmt::format(",{}", left) : "", fmt::join(axes, ","),
                       left > 1 ? " last_tile_dim_replicate" : "");
  }

 private:
  std::mt19937 random_;
};

}  // namespace shardscope::testing
