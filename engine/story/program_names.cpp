// SPDX-License-Identifier: Apache-2.0
#include "engine/story/program_names.h"

#include <algorithm>
#include <optional>

namespace shardscope::inline story {
namespace {

// It holds elements of its first operand, in another place.
bool moves_first(const Instruction& i) {
  return !i.operands.empty() && (is_collective(i.opcode) || has(i.opcode, Trait::forwards) ||
                                 has(i.opcode, Trait::same_order) || has(i.opcode, Trait::same_array));
}

std::string input_before(const Program& program, const Computation& entry, InstructionId at) {
  for (size_t step = 0; step < entry.instructions.size(); ++step) {
    const Instruction& i = entry.instructions[static_cast<size_t>(at.value)];
    if (i.opcode == Opcode::parameter) {
      const auto number = static_cast<size_t>(i.parameter_number);
      return number < program.inputs.size() ? symbol_of(program.inputs[number]) : i.name;
    }
    if (!moves_first(i)) return "";
    at = i.operands.front();
  }
  return "";
}

// Its only user that moves it on; none: the way ends, or branches.
std::optional<InstructionId> mover_of(const Computation& entry, InstructionId of) {
  std::optional<InstructionId> out;
  for (size_t u = 0; u < entry.instructions.size(); ++u) {
    const Instruction& user = entry.instructions[u];
    if (std::ranges::find(user.operands, of) == user.operands.end()) continue;
    if (out || !moves_first(user) || user.operands.front() != of) return std::nullopt;
    out = InstructionId(static_cast<int32_t>(u));
  }
  return out;
}

std::string output_after(const Program& program, const Computation& entry, InstructionId at) {
  if (!program.output || !program.further_outputs.empty()) return "";
  for (size_t step = 0; step < entry.instructions.size(); ++step) {
    if (at == entry.root) return symbol_of(*program.output);
    const auto next = mover_of(entry, at);
    if (!next) return "";
    at = *next;
  }
  return "";
}

}  // namespace

std::string name_by_program(const Story& story, int32_t instruction) {
  const Program& program = story.program();
  const Computation& entry = program.entry_computation();
  const int32_t at = instruction - program.global_index(program.entry, InstructionId(0));
  if (at < 0 || at >= std::ssize(entry.instructions)) return "";
  const std::string input = input_before(program, entry, InstructionId(at));
  return input.empty() ? output_after(program, entry, InstructionId(at)) : input;
}

}  // namespace shardscope::inline story
