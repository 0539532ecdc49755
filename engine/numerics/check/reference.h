// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {

// X[m,k]·W[k,n] by Eigen on OpenBLAS in f64, rounded once to `result`; integers modulo its range. It shares
// nothing with the kernels that programs run on, so that one cannot hide the other's error.
struct Reference {
  Array product;
  Array unrounded;         // in f64, when asked for
  double overflowing = 0;  // integers: share of outputs whose true value the type does not hold
};
// None when stopped.
std::optional<Reference> reference_product(const Array& lhs, const Array& rhs, ElementType result,
                                           const Workers& workers, const std::stop_token& stop,
                                           bool keep_unrounded = false);

}  // namespace shardscope::inline numerics
