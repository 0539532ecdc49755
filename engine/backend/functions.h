// SPDX-License-Identifier: Apache-2.0
// What XLA's compilers know of what is computed element by element: one row an operation.
#pragma once

#include <cstdint>

#include "engine/program/ir/opcode.h"

namespace shardscope::inline backend {

// When it takes so long that a CPU's loops do not do it twice.
enum class Dear : uint8_t { never, always, unless_by_a_whole_number, unless_by_a_number, rounding, complex };

struct Function {
  double operations =
      1;  // of an element, as our own time of a kernel counts them (XLA:GPU's: recomputed.cpp)
  Dear dear = Dear::never;
  bool in_library = false;   // a CPU's library of kernels has it
  bool wide_alone = false;   // a CPU computes it in f32 where all beside it is bf16
  bool exponential = false;  // no kernel of a GPU that has one is joined to one beside it
};

// Of operations without a row: the defaults.
Function function_of(Opcode opcode);

}  // namespace shardscope::inline backend
