// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/tuple_elements.h"

namespace shardscope::inline program {

std::optional<InstructionId> element_in(const Computation& computation, InstructionId tuple, size_t element) {
  const Instruction& i = computation.at(tuple);
  if (i.opcode != Opcode::tuple || element >= i.operands.size()) return std::nullopt;
  return i.operands[element];
}

std::optional<size_t> parameter_element(const Computation& computation, const Instruction& instruction) {
  if (instruction.opcode != Opcode::get_tuple_element ||
      computation.at(instruction.operands.front()).opcode != Opcode::parameter)
    return std::nullopt;
  return static_cast<size_t>(instruction.tuple_index);
}

InstructionId behind_elements(const Computation& computation, InstructionId id) {
  while (computation.at(id).opcode == Opcode::get_tuple_element) id = computation.at(id).operands[0];
  return id;
}

const Instruction& behind_copies(const Computation& computation, InstructionId id) {
  const Instruction* i = &computation.at(id);
  while (i->opcode == Opcode::copy) i = &computation.at(i->operands.front());
  return *i;
}

}  // namespace shardscope::inline program
