// SPDX-License-Identifier: Apache-2.0
// How a product is cut: the contraction into stretches, which the bits follow from, and the rows into tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline numerics {

// Part of one term's contraction.
struct DepthPart {
  size_t term;
  int64_t k, depth;
  int64_t padded;  // depth as the kernel wants it
  int64_t start;   // sum of what the term's earlier stretches have padded
};
// Stretches that one pass of the kernel sums before C is touched.
using Block = std::vector<DepthPart>;

// What a term has of k; `apart` starts a block, so that what the terms before it make is a sum of its own.
struct TermDepth {
  int64_t k;
  bool apart;
};

// Blocks of at most `limit` of k: bits follow from this cut, so it depends on the terms' shapes alone.
inline std::vector<Block> cut_contraction(const std::vector<TermDepth>& depths, int64_t limit,
                                          int64_t multiple) {
  std::vector<Block> blocks;
  int64_t filled = limit;
  for (size_t t = 0; t < depths.size(); ++t) {
    const int64_t parts = ceil_div(depths[t].k, limit);
    if (depths[t].apart) filled = limit;
    int64_t place = 0;
    for (int64_t p = 0; p < parts; ++p) {
      const int64_t start = depths[t].k * p / parts, depth = depths[t].k * (p + 1) / parts - start;
      if (filled + depth > limit) {
        blocks.emplace_back();
        filled = 0;
      }
      const int64_t padded = ceil_div(depth, multiple) * multiple;
      blocks.back().push_back({t, start, depth, padded, place});
      place += padded;
      filled += depth;
    }
  }
  return blocks;
}

// Rows of C that one tile of the kernel makes.
struct RowPanel {
  int64_t start, height;  // height as packed; the last one may reach beyond the matrix
};

// As few rows beyond the matrix as full and low tiles allow, then as few tiles.
inline std::vector<RowPanel> row_panels(int64_t rows, int64_t full, int64_t low) {
  int64_t lows = 0;
  if (low > 0) {
    const auto reach = [&](int64_t l) {
      return l * low + ceil_div(std::max<int64_t>(0, rows - l * low), full) * full;
    };
    for (int64_t l = 1; (l - 1) * low < rows && l <= full / 2; ++l)
      if (reach(l) < reach(lows)) lows = l;
  }
  std::vector<RowPanel> panels;
  const int64_t fulls = ceil_div(std::max<int64_t>(0, rows - lows * low), full);
  for (int64_t p = 0; p < fulls; ++p) panels.push_back({p * full, full});
  for (int64_t p = 0; p < lows; ++p) panels.push_back({fulls * full + p * low, low});
  return panels;
}

}  // namespace shardscope::inline numerics
