// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/element_type.h"
#include "engine/base/result.h"
#include "engine/program/ir/instruction.h"

namespace shardscope {

// One elementwise operation on `count` elements of one type, of one operand or of two; null where the type
// does not have it. Narrow floats are computed in f32 and rounded, integers in int64 and wrapped.
struct ElementwiseKernel {
  using One = void (*)(const std::byte* a, std::byte* out, int64_t count);
  using Two = void (*)(const std::byte* a, const std::byte* b, std::byte* out, int64_t count);
  One one = nullptr;
  Two two = nullptr;
};
ElementwiseKernel elementwise_kernel(Opcode opcode, ElementType type);

// out is pred: a `direction` b, null: the type has no order of ours.
ElementwiseKernel::Two compare_kernel(CompareDirection direction, ElementType type);

Error cannot_compute(const Instruction& i);

}  // namespace shardscope
