// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

// Where the value of an operation lies in memory.
enum class Lies : uint8_t {
  new_array,  // in memory of its own, or of an operand that it may stand in
  constant,   // beside what is computed
  table,      // its elements, where they are
  element,    // one of the operand's elements
  operand,    // the first operand itself
  reshaped,   // the same, unless its tiles are others (memory_rules.h)
  copied,     // the same, unless a scheduled module asks for the copy
  looped,     // the state of its rounds
  branched,   // what one of its branches gives
  called,     // what its computation gives
  started,    // several values, one of which is its operands
  ended,      // one of the values of what it ends
};
struct ValuePlace {
  Lies lies = Lies::new_array;
  int64_t element = 0;          // started: which are the operands; ended: which is the result
  bool may_be_alone = false;    // started, ended: or a tuple of results without the operands
  bool has_inner_table = true;  // started: several operands have a table of their own on GPUs
};
// One that has no opcode and is named "slice-start" or "slice-done" starts or ends as its name says.
ValuePlace value_place(const Instruction& instruction);

}  // namespace shardscope::inline program
