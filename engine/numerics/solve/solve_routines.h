// SPDX-License-Identifier: Apache-2.0
// What JAX's and XLA's calls of LAPACK take and give, a row a meaning.
#pragma once

#include <span>

#include "engine/numerics/solve/solve_item.h"
#include "engine/program/ir/custom_target.h"

namespace shardscope::inline numerics {

// A routine for matrices of one type of elements.
using SolveRoutine = void (*)(const SolveItem& item);

struct SolveRow {
  CustomTarget target;
  // By what there is; without operands: that does not fit.
  SolveSignature (*signature)(const SolveShapes& shapes, const SolveOptions& options);
  SolveRoutine f32, f64, c64, c128;  // null: not of these

  SolveRoutine of(ElementType type) const {
    switch (type) {
      case ElementType::f32:
        return f32;
      case ElementType::f64:
        return f64;
      case ElementType::c64:
        return c64;
      case ElementType::c128:
        return c128;
      default:
        return nullptr;
    }
  }
};
// Null: it is none of LAPACK's.
const SolveRow* solve_row(CustomTarget target);
namespace solve {  // rows by their files
std::span<const SolveRow> factor_routines();
std::span<const SolveRow> spectral_routines();
}  // namespace solve

// Which row is where after exchanging row k with row pivots[k] (from 0), one after the other.
std::vector<int> permutation_of(const std::vector<int>& pivots, int64_t rows);

}  // namespace shardscope::inline numerics
