// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

bool is_home(const Mesh& mesh, const ArrayInfo& info, DeviceId device) {
  for (const HomeCoordinate& home : info.home) {
    const auto axis = mesh.axis_index(home.axis);
    if (!axis || mesh.coordinate(device, *axis) != home.coordinate) return false;
  }
  return true;
}

std::string symbol_of(const ArrayInfo& info) {
  if (!info.symbol.empty()) return info.symbol;
  switch (info.role) {
    case ArrayRole::lhs:
      return "X";
    case ArrayRole::rhs:
      return "W";
    case ArrayRole::product:
      return "Y";
    case ArrayRole::block_gram:
      return "G";
    case ArrayRole::operand:
    case ArrayRole::argument:
    case ArrayRole::result:
      break;
  }
  return "?";
}

bool is_foreign(const Program& program) {
  return program.inputs.empty() || program.inputs.front().role == ArrayRole::argument;
}

std::vector<ArrayInfo> outputs_of(const Program& program) {
  std::vector<ArrayInfo> outputs;
  if (program.output) outputs.push_back(*program.output);
  outputs.insert(outputs.end(), program.further_outputs.begin(), program.further_outputs.end());
  return outputs;
}

int32_t Program::global_index(ComputationId computation, InstructionId instruction) const {
  size_t first = 0;
  for (int32_t i = 0; i < computation.value; ++i)
    first += computations[static_cast<size_t>(i)].instructions.size();
  return static_cast<int32_t>(first) + instruction.value;
}

const Instruction& Program::by_global_index(int32_t index) const {
  CHECK(index >= 0 && index < instruction_count(), index);
  size_t place = static_cast<size_t>(index);
  for (const Computation& c : computations) {
    if (place < c.instructions.size()) return c.instructions[place];
    place -= c.instructions.size();
  }
  CHECK(false, index);
  return computations.front().instructions.front();
}

int32_t Program::instruction_count() const {
  size_t count = 0;
  for (const Computation& c : computations) count += c.instructions.size();
  return static_cast<int32_t>(count);
}

const Computation* fused_computation(const Program& program, const Instruction& instruction) {
  if (instruction.opcode != Opcode::fusion || instruction.called.empty()) return nullptr;
  return &program.computation(instruction.called.front().computation);
}

std::vector<InstructionId> parameter_ids(const Computation& computation) {
  std::vector<InstructionId> out;
  for (size_t k = 0; k < computation.instructions.size(); ++k)
    if (computation.instructions[k].opcode == Opcode::parameter)
      out.push_back(InstructionId(static_cast<int64_t>(k)));
  return out;
}

std::vector<std::reference_wrapper<const Instruction>> parameters(const Computation& computation) {
  std::vector<std::reference_wrapper<const Instruction>> out;
  for (const InstructionId id : parameter_ids(computation)) out.emplace_back(computation.at(id));
  return out;
}

std::vector<const Instruction*> parameters_by_number(const Computation& computation) {
  std::vector<const Instruction*> out;
  for (const Instruction& i : parameters(computation)) {
    const auto number = static_cast<size_t>(i.parameter_number);
    if (out.size() <= number) out.resize(number + 1);
    out[number] = &i;
  }
  return out;
}

std::vector<InstructionId> result_ids(const Computation& computation) {
  const Instruction& root = computation.root_instruction();
  return root.opcode == Opcode::tuple ? root.operands : std::vector{computation.root};
}

}  // namespace shardscope::inline program
