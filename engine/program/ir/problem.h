// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/element_type.h"
#include "engine/base/result.h"

namespace shardscope {

// Y[m,n] = X[m,k] · W[k,n], elements of `dtype`, partial sums between devices and products kept in
// `accumulate` (f32 or bf16 for the 16-bit types; otherwise the type itself).
struct MatmulProblem {
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  ElementType dtype = ElementType::f32;
  ElementType accumulate = ElementType::f32;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  }
  bool operator==(const MatmulProblem&) const = default;
};

// f32 for the 16-bit types, otherwise the type itself.
ElementType default_accumulate(ElementType dtype);

// Sizes positive, every array below 2^62 bytes, dtype one of f32 f64 bf16 f16 s32, accumulate f32 or bf16.
Result<void> validate(const MatmulProblem& problem);

}  // namespace shardscope
