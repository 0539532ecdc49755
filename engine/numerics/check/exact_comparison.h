// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/numerics/check/numerics.h"

namespace shardscope::inline numerics {

// How a program rounds on the way: `count` products over equal stretches of the contraction (k over the terms
// of one dot), each kept in `type` before it is added to others.
struct PartialSums {
  int64_t count = 1;
  ElementType type = ElementType::f32;
  bool operator==(const PartialSums&) const = default;
};
PartialSums partial_sums(const Program& program, const MatmulProblem& problem);

// The product in f64 rounded once to `type`, which may be another one than the problem's: a program may keep
// its sums in f32 to the end.
Array rounded_product(const ProblemData& data, ElementType type);

// One side of a comparison. `name`: "the result", "the reference (psum)".
struct ComparedSide {
  std::string name;
  const Array& array;
  PartialSums partials;
};

// Both sides, shaped [m,n], against the product in f64. `rtol` picks the element that is looked at. Says
// which side is the inaccurate one and why. `one_rounding`: the reference is the f64 product itself, rounded
// once.
ExactComparison compare_exact(const ProblemData& data, const ComparedSide& result,
                              const ComparedSide& reference, bool one_rounding, double rtol,
                              const Workers& workers);

}  // namespace shardscope::inline numerics
