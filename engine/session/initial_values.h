// SPDX-License-Identifier: Apache-2.0
// What a module's reductions start from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/numerics/array/array.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// A scalar parameter of the entry that starts reductions, and nothing else is known of: drawn as what their
// operation leaves as it is, so that the result is that of the elements alone.
struct InitialValue {
  size_t leaf = 0;  // among the leaves of all parameters
  Opcode operation = Opcode::add;
  std::string words;  // "0, from which the sums of reduce.3 start"
};
// By leaf. Not those that start reductions of different operations.
std::vector<InitialValue> initial_values(const Program& module);

// The one element that `operation` leaves as it is.
Array identity_element(Opcode operation, ElementType type);

}  // namespace shardscope::inline session
