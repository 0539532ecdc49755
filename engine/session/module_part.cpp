// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_part.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostNamed = 6;

bool is_input(const Instruction& i) {
  return i.operands.empty() && i.opcode != Opcode::partition_id && i.opcode != Opcode::iota;
}

std::string unused_name(const Computation& c, std::string name) {
  while (std::ranges::any_of(c.instructions, [&](const Instruction& i) { return i.name == name; }))
    name += "_";
  return name;
}

// By computation: whether it holds such an instruction, itself or in what it calls.
template <class Test>
std::vector<bool> computations_with(const Program& module, const Test& test) {
  std::vector<bool> out(module.computations.size(), false);
  for (size_t c = 0; c < out.size(); ++c) {  // callees come first
    for (const Instruction& i : module.computations[c].instructions) {
      out[c] = out[c] || test(i);
      for (const CalledComputation& called : i.called)
        out[c] = out[c] || out[static_cast<size_t>(called.computation.value)];
    }
  }
  return out;
}

template <class Test>
std::set<std::string> entry_instructions_with(const Program& module, const Test& test) {
  const std::vector<bool> inside = computations_with(module, test);
  std::set<std::string> out;
  for (const Instruction& i : module.entry_computation().instructions) {
    bool has = test(i);
    for (const CalledComputation& called : i.called)
      has = has || inside[static_cast<size_t>(called.computation.value)];
    if (has) out.insert(i.name);
  }
  return out;
}

// Makes `values` the root: itself, or a tuple of them.
void set_root(Computation& c, const std::vector<InstructionId>& values) {
  c.root = values.front();
  if (values.size() == 1) return;
  Instruction all;
  all.name = unused_name(c, "values");
  all.opcode = Opcode::tuple;
  std::vector<Shape> shapes;
  for (const InstructionId value : values) {
    shapes.push_back(c.at(value).shape);
    all.operands.push_back(value);
  }
  all.shape = Shape::tuple(std::move(shapes));
  c.instructions.push_back(std::move(all));
  c.root = InstructionId(static_cast<int64_t>(c.instructions.size()) - 1);
}

// By place: what is left when `stopped` and their readers go, and tuples that nobody left reads.
std::vector<bool> left_without(const Computation& entry, const std::set<std::string>& stopped) {
  std::vector<bool> left, read(entry.instructions.size(), false);
  const auto is_left = [&](InstructionId id) { return left[static_cast<size_t>(id.value)]; };
  for (const Instruction& i : entry.instructions)
    left.push_back(!stopped.contains(i.name) && std::ranges::all_of(i.operands, is_left));
  for (size_t k = left.size(); k-- > 0;) {
    const Instruction& i = entry.instructions[k];
    left[k] = left[k] && (i.opcode != Opcode::tuple || read[k]);
    for (const InstructionId operand : i.operands)
      if (left[k]) read[static_cast<size_t>(operand.value)] = true;
  }
  return left;
}

}  // namespace

std::optional<ModulePart> part_without(const Program& module, const std::set<std::string>& stopped) {
  const Computation& entry = module.entry_computation();
  const size_t count = entry.instructions.size();
  const std::vector<bool> kept = left_without(entry, stopped);
  std::vector<bool> read(count, false);
  std::vector<InstructionId> to(count);
  ModulePart out;
  out.program = module;
  out.of = static_cast<int64_t>(count);
  Computation& made = out.program.computations[static_cast<size_t>(module.entry.value)];
  made.instructions.clear();
  const auto is_kept = [&](InstructionId id) { return kept[static_cast<size_t>(id.value)]; };
  for (size_t k = 0; k < count; ++k) {
    Instruction i = entry.instructions[k];
    if (!kept[k]) continue;
    for (InstructionId& operand : i.operands) {
      read[static_cast<size_t>(operand.value)] = true;
      operand = to[static_cast<size_t>(operand.value)];
    }
    i.control_predecessors.change([&](std::vector<InstructionId>& before) {
      std::erase_if(before, [&](InstructionId id) { return !is_kept(id); });
      for (InstructionId& id : before) id = to[static_cast<size_t>(id.value)];
    });
    to[k] = InstructionId(static_cast<int64_t>(made.instructions.size()));
    made.instructions.push_back(std::move(i));
  }
  out.instructions = static_cast<int64_t>(made.instructions.size());
  std::vector<InstructionId> ends;
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = entry.instructions[k];
    if (!kept[k] || read[k] || is_input(i) || i.shape.is_tuple || i.shape.type == ElementType::token)
      continue;
    ends.push_back(to[k]);
    out.ends.push_back(i.name);
  }
  if (ends.empty()) return std::nullopt;
  set_root(made, ends);
  out.program.output.reset();
  out.program.further_outputs.clear();
  out.program.definitions.clear();
  std::erase_if(out.program.verbatim,
                [](const VerbatimAttribute& a) { return a.key == "entry_computation_layout"; });
  return out;
}

std::set<std::string> entry_instructions_of(const Program& module, const std::string& instruction) {
  return entry_instructions_with(module, [&](const Instruction& i) { return i.name == instruction; });
}

std::string words(const ModulePart& part, const std::string& why) {
  std::vector<std::string> named(part.ends.begin(), part.ends.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                            part.ends.size(), kMostNamed)));
  std::string ends = join(named, ", ");
  if (named.size() < part.ends.size()) ends += fmt::format(" and {} more", part.ends.size() - named.size());
  return fmt::format("as far as {} ({} of {} instructions; {})", ends, part.instructions, part.of, why);
}

}  // namespace shardscope::inline session
