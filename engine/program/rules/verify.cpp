// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "engine/base/units.h"
#include "engine/program/analysis/scheduled.h"
#include "engine/program/ir/program.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

Result<void> check_instruction(const InstructionCheck& c, int64_t place, int64_t computation_place) {
  for (const InstructionId operand : c.instruction.operands)
    if (operand.value < 0 || operand.value >= place)
      return c.error("reads an instruction that is not before it");
  for (const InstructionId before : c.instruction.control_predecessors)
    if (before.value < 0 || before.value >= place)
      return c.error("waits for an instruction that is not before it");
  for (const CalledComputation& called : c.instruction.called)
    if (called.computation.value < 0 || called.computation.value >= computation_place)
      return c.error(called.key + " is a computation that is not before it");
  if (!is_sound(c.instruction.shape)) return c.error("shape with a negative size or more than 2^50 elements");
  TRY_VOID(c.arity());
  const ShapeRule rule = shape_rule(c.instruction.opcode);
  return rule == nullptr ? Result<void>() : rule(c);
}

Result<void> check_parameters(const Computation& computation) {
  std::unordered_set<int64_t> numbers;
  for (const Instruction& i : parameters(computation))
    if (i.parameter_number < 0 || !numbers.insert(i.parameter_number).second)
      return invalid("parameter '" + i.name + "': number " + std::to_string(i.parameter_number) +
                         " is negative or taken",
                     "computation " + computation.name);
  for (size_t k = 0; k < numbers.size(); ++k)
    if (numbers.count(static_cast<int64_t>(k)) == 0)
      return invalid(
          "parameter " + std::to_string(k) + " of " + std::to_string(numbers.size()) + " is missing",
          "computation " + computation.name);
  return {};
}

Result<void> check_computation(const Program& program, size_t place, bool scheduled) {
  const Computation& computation = program.computations[place];
  const std::string where = "computation " + computation.name;
  if (computation.root.value < 0 ||
      computation.root.value >= static_cast<int64_t>(computation.instructions.size()))
    return invalid("the root is none of its instructions", where);
  // Callers look at parameters by number: first make sure of those.
  TRY_VOID(check_parameters(computation));
  std::unordered_set<std::string_view> names;
  for (size_t k = 0; k < computation.instructions.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    if (i.name.empty() || !names.insert(i.name).second)
      return invalid("instruction name '" + i.name + "' is empty or taken", where);
    TRY_VOID(check_instruction({program, computation, i, nullptr, scheduled}, static_cast<int64_t>(k),
                               static_cast<int64_t>(place)));
  }
  return {};
}

Result<void> check_home(const Program& program, const ArrayInfo& info, const std::string& what) {
  for (const auto& [axis, coordinate] : info.home) {
    const auto position = program.mesh.axis_index(axis);
    if (!position || coordinate < 0 || coordinate >= program.mesh.axis_size(*position))
      return invalid(what + " is at home on " + axis + "=" + std::to_string(coordinate) +
                         ", expected a coordinate of mesh " + program.mesh.text(),
                     "program " + program.name);
    const auto names_it = [&axis = axis](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), axis) != names.end();
    };
    if (names_it(info.unreduced) || std::any_of(info.spec.dims.begin(), info.spec.dims.end(), names_it))
      return invalid(what + " is at home on one coordinate of " + axis + " and split over it",
                     "program " + program.name);
  }
  return {};
}

Result<void> check_array(const Program& program, const ArrayInfo& info, const Shape& local,
                         const std::string& what) {
  TRY(const NamedSharding sharding, NamedSharding::make(program.mesh, info.spec, info.unreduced));
  TRY(const std::vector<int64_t> shard, sharding.shard_shape(info.dims));
  TRY_VOID(check_home(program, info, what));
  if (!local.is_tuple && local.dims == shard) return {};
  return invalid(what + " is " + local.text() + ", expected the shard " +
                     Shape::array(local.type, shard).text() + " of its global array",
                 "program " + program.name);
}

Result<void> check_arrays(const Program& program) {
  const Computation& entry = program.entry_computation();
  const auto given = parameters(entry);
  for (const Instruction& i : given) {
    const auto number = static_cast<size_t>(i.parameter_number);
    if (number < program.inputs.size())
      TRY_VOID(check_array(program, program.inputs[number], i.shape, "parameter '" + i.name + "'"));
  }
  if (!program.inputs.empty() && program.inputs.size() != given.size())
    return invalid(
        std::to_string(program.inputs.size()) + " inputs described, expected " + std::to_string(given.size()),
        "program " + program.name);
  const std::vector<ArrayInfo> outputs = outputs_of(program);
  const Shape& root = entry.root_instruction().shape;
  if (outputs.empty()) return {};
  if (outputs.size() == 1) return check_array(program, outputs[0], root, "the result");
  if (!root.is_tuple || root.elements.size() != outputs.size())
    return invalid(std::to_string(outputs.size()) + " outputs described, expected a tuple of as many, got " +
                       root.text(),
                   "program " + program.name);
  for (size_t k = 0; k < outputs.size(); ++k)
    TRY_VOID(check_array(program, outputs[k], root.elements[k], "result " + symbol_of(outputs[k])));
  return {};
}

}  // namespace

Result<void> verify(const Program& program) {
  if (program.entry.value < 0 || program.entry.value >= static_cast<int64_t>(program.computations.size()))
    return invalid("the entry is none of its computations", "program " + program.name);
  const bool scheduled = is_scheduled(program);
  std::unordered_set<std::string_view> names;
  for (size_t k = 0; k < program.computations.size(); ++k) {
    if (!names.insert(program.computations[k].name).second)
      return invalid("computation name '" + program.computations[k].name + "' is taken",
                     "program " + program.name);
    TRY_VOID(check_computation(program, k, scheduled));
  }
  return check_arrays(program);
}

}  // namespace shardscope::inline program
