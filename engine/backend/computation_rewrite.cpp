// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/computation_rewrite.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace shardscope::inline backend {
namespace {

bool runs_what_it_calls(const Instruction& caller) {
  return has(caller.opcode, Trait::part) && caller.opcode != Opcode::fusion;
}

}  // namespace

FreshNames::FreshNames(const Program& program) {
  for (const Computation& c : program.computations) {
    taken_.try_emplace(c.name);
    for (const Instruction& i : c.instructions) taken_.try_emplace(i.name);
  }
}

std::string FreshNames::operator()(const std::string& base) {
  const auto [own, is_new] = taken_.try_emplace(base);
  if (is_new) return base;
  for (;;) {
    std::string name = fmt::format("{}.{}", base, ++own->second);
    if (taken_.try_emplace(name).second) return name;
  }
}

ComputationRewrite::ComputationRewrite(const Computation& from) : from_(from), to_(from.instructions.size()) {
  out_.name = from.name;
  out_.verbatim = from.verbatim;
}

InstructionId ComputationRewrite::copy(size_t k) {
  return copy(k, from_.instructions[k]);
}

InstructionId ComputationRewrite::copy(size_t k, Instruction as) {
  return to_[k] = add(reading_new(std::move(as)));
}

Instruction ComputationRewrite::reading_new(Instruction old) const {
  for (InstructionId& operand : old.operands) operand = at(operand);
  old.control_predecessors.change([&](std::vector<InstructionId>& before) {
    for (InstructionId& each : before) each = at(each);
  });
  return old;
}

InstructionId ComputationRewrite::add(Instruction made) {
  out_.instructions.push_back(std::move(made));
  return InstructionId(static_cast<int64_t>(out_.instructions.size()) - 1);
}

Computation ComputationRewrite::finish() && {
  const InstructionId root = at(from_.root);
  return std::move(*this).finish(root);
}

Computation ComputationRewrite::finish(InstructionId root) && {
  out_.root = root;
  return std::move(out_);
}

void reorder(Computation& computation, const std::vector<size_t>& order) {
  const Computation before = std::move(computation);
  ComputationRewrite rewrite(before);
  for (const size_t k : order) rewrite.copy(k);
  computation = std::move(rewrite).finish();
}

std::vector<size_t> operands_first(const Computation& computation) {
  enum : uint8_t { unseen, open, placed };
  std::vector<uint8_t> state(computation.instructions.size(), unseen);
  std::vector<size_t> out, stack;
  for (size_t k = 0; k < state.size(); ++k) {
    stack.push_back(k);
    while (!stack.empty()) {
      const size_t at = stack.back();
      if (state[at] == unseen) {
        state[at] = open;
        each_needed(computation.instructions[at], [&](size_t needed) {
          if (state[needed] == unseen) stack.push_back(needed);
        });
        continue;
      }
      stack.pop_back();
      if (state[at] == open) out.push_back(at);
      state[at] = placed;
    }
  }
  return out;
}

std::vector<bool> executed_computations(const Program& program) {
  std::vector<bool> out(program.computations.size(), false);
  out[static_cast<size_t>(program.entry.value)] = true;
  for (size_t c = out.size(); c-- > 0;) {  // callees stand before callers
    if (!out[c]) continue;
    for (const Instruction& i : program.computations[c].instructions)
      if (runs_what_it_calls(i))
        for (const CalledComputation& called : i.called)
          out[static_cast<size_t>(called.computation.value)] = true;
  }
  return out;
}

Instruction made_instruction(std::string name, Opcode opcode, Shape shape,
                             std::vector<InstructionId> operands) {
  Instruction out;
  out.name = std::move(name);
  out.opcode = opcode;
  out.shape = std::move(shape);
  out.operands = std::move(operands);
  return out;
}

Instruction in_place_of(const Instruction& like, std::string name, Instruction made) {
  made.name = std::move(name);
  made.provenance = like.provenance;
  made.provenance.edit().source = source_name(like);
  return made;
}

Instruction tuple_element(std::string name, const Shape& tuple, InstructionId of, size_t n) {
  Instruction out = made_instruction(std::move(name), Opcode::get_tuple_element, tuple.elements[n], {of});
  out.tuple_index = static_cast<int64_t>(n);
  return out;
}

Instruction scalar_constant(std::string name, ElementType type, int64_t value) {
  Instruction out = made_instruction(std::move(name), Opcode::constant, Shape::array(type, {}), {});
  out.literal = std::to_string(value);
  return out;
}

InstructionId ComputationPass::add(Instruction made) {
  return rewrite_.add(in_place_of(*like_, fresh_(like_->name + std::string(ending_)), std::move(made)));
}

}  // namespace shardscope::inline backend
