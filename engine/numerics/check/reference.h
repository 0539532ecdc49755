// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"

namespace shardscope {

// X[m,k]·W[k,n] by Eigen on OpenBLAS in f64, rounded once to the operands' type; s32 modulo 2^32. It shares
// nothing with the kernels that programs run on, so that one cannot hide the other's error.
struct Reference {
  Array product;
  Array unrounded;         // in f64, when asked for
  double overflowing = 0;  // s32: share of outputs whose true value is outside int32
};
std::optional<Reference> reference_product(const Array& lhs, const Array& rhs, const Workers& workers,
                                           const std::stop_token& stop,
                                           bool keep_unrounded = false);  // none when stopped

}  // namespace shardscope
