// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/base/element_type.h"
#include "engine/base/result.h"

namespace shardscope::inline program {

// How sums travel between devices: in the product's result type, as frameworks send them, or as they were
// added up. The same for types whose products are no wider than their results.
enum class SumType : uint8_t { f32, result };
inline constexpr std::array kSumTypes{SumType::f32, SumType::result};
const char* name(SumType type);

// Y[m,n] = X[m,k] · W[k,n], elements of `dtype`, Y of its result_type; products and their sums kept in
// `accumulate` on a device (narrow floats choose f32 or bf16; of others it is their product_type).
struct MatmulProblem {
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  ElementType dtype = ElementType::f32;
  ElementType accumulate = ElementType::f32;
  SumType sum = SumType::result;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  }
  bool operator==(const MatmulProblem&) const = default;
};

ElementType default_accumulate(ElementType dtype);
// What products and their sums are held in: `accumulate` where the type leaves a choice.
ElementType accumulation_type(const MatmulProblem& problem);
// What a sum is held in while it travels from device to device.
ElementType travelling_type(const MatmulProblem& problem);
// Whether integers beyond 2^8 are inexact in some type that sums or results have: fills must be sparse then.
bool needs_sparse_integers(const MatmulProblem& problem);

// Sizes positive, every array below 2^62 bytes, dtype a type of problems, accumulate one that it has.
Result<void> validate(const MatmulProblem& problem);

}  // namespace shardscope::inline program
