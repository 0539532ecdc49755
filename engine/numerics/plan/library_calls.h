// SPDX-License-Identifier: Apache-2.0
// Calls of libraries whose meaning HLO's own operations say: products of cuBLAS with what follows them,
// convolutions of cuDNN, an approximate top-k that gives all of the exact one.
#pragma once

#include <functional>
#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// Writes instructions into a computation: each gets a name like the call's.
struct CallWriter {
  std::function<InstructionId(Instruction)> add;
  std::function<const Shape&(InstructionId)> shape;
};

// Writes what stands for a call that is given with its operands in the new computation.
using LibraryCall = std::function<InstructionId(const Instruction& call, const CallWriter& writer)>;
// None: the call is none of them, or does not say all that it must.
std::optional<LibraryCall> library_call(const Computation& computation, const Instruction& call);

}  // namespace shardscope::inline numerics
