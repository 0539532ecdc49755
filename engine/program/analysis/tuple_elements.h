// SPDX-License-Identifier: Apache-2.0
// Which value an element of a tuple is, and which element of the state a value of a loop is.
#pragma once

#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// What the tuple of that number has at `element`; none: no tuple instruction makes it, or it is shorter.
std::optional<InstructionId> element_in(const Computation& computation, InstructionId tuple, size_t element);
// The element of the computation's parameter that the instruction takes out; none: it takes none out.
std::optional<size_t> parameter_element(const Computation& computation, const Instruction& instruction);
// What it takes elements out of, however deep: the first that is no get-tuple-element.
InstructionId behind_elements(const Computation& computation, InstructionId id);
// What it copies, through any number of copies.
const Instruction& behind_copies(const Computation& computation, InstructionId id);

}  // namespace shardscope::inline program
