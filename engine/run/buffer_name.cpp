// SPDX-License-Identifier: Apache-2.0
#include "engine/run/buffer_name.h"

#include <fmt/format.h>

namespace shardscope::inline run {

std::string stored_name(const Program& program, int32_t instruction) {
  if (instruction < 0 || instruction >= program.instruction_count()) return "";
  const Instruction& maker = program.by_global_index(instruction);
  const auto number = static_cast<size_t>(maker.parameter_number);
  return number < program.inputs.size() ? symbol_of(program.inputs[number]) : "";
}

std::string buffer_name(const Program& program, int32_t instruction) {
  if (instruction < 0 || instruction >= program.instruction_count())
    return fmt::format("instruction {}", instruction);
  if (const std::string stored = stored_name(program, instruction); !stored.empty())
    return stored + ", as stored";
  const Instruction& maker = program.by_global_index(instruction);
  if (!maker.provenance->op_name.empty()) return maker.provenance->op_name;
  if (!maker.text_name.empty()) return display_name(maker);
  return maker.name.substr(0, maker.name.find('.'));
}

}  // namespace shardscope::inline run
