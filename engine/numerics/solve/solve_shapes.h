// SPDX-License-Identifier: Apache-2.0
// Words in which signatures are written.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/numerics/solve/solve_routines.h"

namespace shardscope::inline numerics::solve {

using Dims = std::vector<int64_t>;
using Shapes = const SolveShapes&;
using Of = SolvePart::Of;

inline SolvePart elements(Dims dims) {
  return {Of::matrix, std::move(dims)};
}
inline SolvePart reals(Dims dims) {
  return {Of::real, std::move(dims)};
}
inline SolvePart integers(Dims dims) {
  return {Of::integer, std::move(dims)};
}
inline SolvePart info() {
  return integers({});
}

inline bool is_matrix(Shapes s) {
  return !s.operands.empty() && s.operands[0].size() == 2;
}
inline bool is_square(Shapes s) {
  return is_matrix(s) && s.operands[0][0] == s.operands[0][1];
}
inline int64_t least(Shapes s) {
  return std::min(s.operands[0][0], s.operands[0][1]);
}

// A row of the table of routines out of `name`'s template and what it takes.
#define SHARDSCOPE_SOLVE(name, signature)                                                    \
  SolveRow {                                                                                 \
    CustomTarget::name, &signature, &name<float>, &name<double>, &name<std::complex<float>>, \
        &name<std::complex<double>>                                                          \
  }

}  // namespace shardscope::inline numerics::solve
