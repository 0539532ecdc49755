// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/solve/solve_routines.h"

#include <algorithm>
#include <numeric>

namespace shardscope::inline numerics {

const SolveRow* solve_row(CustomTarget target) {
  for (const auto rows : {solve::factor_routines(), solve::spectral_routines()}) {
    const auto row = std::ranges::find(rows, target, &SolveRow::target);
    if (row != rows.end()) return &*row;
  }
  return nullptr;
}

std::vector<int> permutation_of(const std::vector<int>& pivots, int64_t rows) {
  std::vector<int> out(static_cast<size_t>(rows));
  std::iota(out.begin(), out.end(), 0);
  for (size_t k = 0; k < pivots.size() && k < out.size(); ++k)
    if (pivots[k] >= 0 && pivots[k] < rows) std::swap(out[k], out[static_cast<size_t>(pivots[k])]);
  return out;
}

}  // namespace shardscope::inline numerics
