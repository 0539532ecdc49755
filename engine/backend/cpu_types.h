// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// What is not computed with as it is: f16 in products alone. A CPU has units for none of them.
struct WidenedTypes {
  bool bf16 = true, f16 = true, eight_bits = true;  // floats
  bool whole = true;                                // s8 and the like in convolutions that give wider numbers
};

// The same with the types that XLA's compiler for CPUs computes in (its float normalization, its all-reduces
// of bf16, its operand upcaster): what is computed in f32 is converted in front and back behind, once for all
// who read it so. Each result is rounded, but for what reads it in f32 anyway; what a library takes in bf16
// stays so.
Computation in_wide_types(const Program& program, const Computation& computation, const WidenedTypes& types,
                          FreshNames& fresh);

}  // namespace shardscope::inline backend
