// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/element_type.h"
#include "engine/program/ir/attributes.h"
#include "engine/program/ir/opcode.h"

namespace shardscope::inline numerics {

// One elementwise operation on `count` elements of a type, of one operand or of two; null where the type does
// not have it. Narrow floats are computed in f32 and rounded, integers in int64 and wrapped, c64 in c128. The
// result is of the operands' type, but for those that make or take apart complex numbers (check_elementwise).
struct ElementwiseKernel {
  using One = void (*)(const std::byte* a, std::byte* out, int64_t count);
  using Two = void (*)(const std::byte* a, const std::byte* b, std::byte* out, int64_t count);
  One one = nullptr;
  Two two = nullptr;
};
ElementwiseKernel elementwise_kernel(Opcode opcode, ElementType operand);

// out is pred: a `direction` b; null: the type has no such order. `total_order`: of floats by sign and bits,
// so that what is no number has a place too.
ElementwiseKernel::Two compare_kernel(CompareDirection direction, ElementType type, bool total_order = false);

}  // namespace shardscope::inline numerics
