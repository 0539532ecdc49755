// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/loop_rewrite.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/program/analysis/tuple_elements.h"

namespace shardscope::inline backend {
namespace {

size_t at(ComputationId id) {
  return static_cast<size_t>(id.value);
}

// Whether its one parameter is.
bool reads_elements(const Computation& c) {
  const std::vector<InstructionId> parameters = parameter_ids(c);
  return parameters.size() == 1 && is_read_by_element(c, parameters.front());
}

// One place of a body, once more; `made`: by place what was made before.
void copy_place(const Computation& body, size_t k, const Elements& elements, const CopyNames& names,
                ComputationRewrite& to, std::map<size_t, InstructionId>& made) {
  const Instruction& i = body.instructions[k];
  if (const auto n = parameter_element(body, i)) {
    made[k] = elements(*n);
    return;
  }
  Instruction copy = names.renamed(i);
  for (InstructionId& operand : copy.operands) operand = made.at(static_cast<size_t>(operand.value));
  made[k] = to.add(std::move(copy));
}

}  // namespace

bool is_plain_work(const Instruction& i) {
  switch (operation(i.opcode).kind) {
    case OpClass::movement:
    case OpClass::elementwise:
    case OpClass::product:
    case OpClass::reduction:
    case OpClass::indexed:
      return i.control_predecessors.empty() && !i.shape.is_tuple;
    default:
      return has(i.opcode, Trait::device_number);
  }
}

bool is_read_by_element(const Computation& c, InstructionId tuple) {
  return c.root != tuple && std::ranges::all_of(c.instructions, [&](const Instruction& i) {
           return i.opcode == Opcode::get_tuple_element || std::ranges::count(i.operands, tuple) == 0;
         });
}

void forget_sharding(Instruction& i) {
  i.sharding.reset();
  i.sharding_text = {};
  i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
    std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "sharding"; });
  });
}

std::vector<int64_t> calls_of_each(const Program& program) {
  std::vector<int64_t> out(program.computations.size());
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      for (const CalledComputation& called : *i.called) ++out[at(called.computation)];
  return out;
}

std::optional<ElementLoop> element_loop(const Program& program, size_t caller, size_t place,
                                        const std::vector<int64_t>& calls) {
  const Instruction& loop = program.computations[caller].instructions[place];
  if (loop.opcode != Opcode::while_ || !loop.shape.is_tuple) return std::nullopt;
  ElementLoop out{caller, place, {}, {}, loop.shape.elements.size(), {}};
  for (const CalledComputation& called : *loop.called)
    (std::string_view(*called.key) == "body" ? out.body : out.condition) = called.computation;
  if (calls[at(out.body)] != 1 || calls[at(out.condition)] != 1 || out.body == out.condition)
    return std::nullopt;
  const Computation& body = program.computation(out.body);
  if (!reads_elements(body) || !reads_elements(program.computation(out.condition))) return std::nullopt;
  const Instruction& root = body.root_instruction();
  if (root.opcode != Opcode::tuple || root.operands.size() != out.elements) return std::nullopt;
  for (size_t n = 0; n < out.elements; ++n)
    out.unchanged.push_back(parameter_element(body, body.at(root.operands[n])) == n);
  return out;
}

std::optional<LoopInHand> loop_in_hand(const Program& program, size_t caller, size_t place,
                                       const std::vector<int64_t>& calls) {
  const auto counted = counted_loop(program, program.computations[caller], place);
  auto loop = element_loop(program, caller, place, calls);
  if (!counted || !loop) return std::nullopt;
  for (const Instruction& i : program.computation(loop->body).instructions)
    if (!i.control_predecessors.empty()) return std::nullopt;  // their order is said
  return LoopInHand{*std::move(loop), *counted};
}

std::optional<std::vector<size_t>> follows_from_round(const Program& program, const LoopInHand& loop,
                                                      const std::vector<InstructionId>& wanted, bool counts) {
  const Computation& body = program.computation(loop.loop.body);
  std::vector<bool> needed(body.instructions.size());
  for (const InstructionId id : wanted) needed[static_cast<size_t>(id.value)] = true;
  std::vector<size_t> out;
  for (size_t k = needed.size(); k-- > 0;) {
    if (!needed[k]) continue;
    const Instruction& i = body.instructions[k];
    if (const auto n = parameter_element(body, i)) {
      if (!loop.unchanged[*n] && !(counts && n == loop.loop.counter)) return std::nullopt;
    } else if (i.opcode != Opcode::constant && !is_plain_work(i)) {
      return std::nullopt;
    } else {
      for (const InstructionId operand : i.operands) needed[static_cast<size_t>(operand.value)] = true;
    }
    out.push_back(k);
  }
  std::ranges::reverse(out);
  return out;
}

Instruction CopyNames::renamed(Instruction i) const {
  std::string name = fresh(i.name);
  links.emplace_back(name, i.name);
  i.name = std::move(name);
  i.text_name = {};
  return i;
}

std::map<size_t, InstructionId> copy_places(const Computation& body, const std::vector<size_t>& places,
                                            const Elements& elements, const CopyNames& names,
                                            ComputationRewrite& to) {
  std::map<size_t, InstructionId> made;
  for (const size_t k : places) copy_place(body, k, elements, names, to, made);
  return made;
}

std::vector<InstructionId> write_round(const Computation& body, const Elements& elements,
                                       std::map<size_t, InstructionId> instead, const CopyNames& names,
                                       ComputationRewrite& to) {
  std::map<size_t, InstructionId> made = std::move(instead);
  const InstructionId parameter = parameter_ids(body).front();
  for (size_t k = 0; k < body.instructions.size(); ++k) {
    const InstructionId id(static_cast<int64_t>(k));
    if (id == parameter || id == body.root || made.contains(k)) continue;
    copy_place(body, k, elements, names, to, made);
  }
  std::vector<InstructionId> out;
  for (const InstructionId id : body.root_instruction().operands)
    out.push_back(made.at(static_cast<size_t>(id.value)));
  return out;
}

void set_state(Program& program, const ElementLoop& loop, const Shape& state) {
  for (const ComputationId id : {loop.condition, loop.body}) {
    Computation& called = program.computations[at(id)];
    Instruction& parameter = called.instructions[static_cast<size_t>(parameter_ids(called).front().value)];
    parameter.shape = state;
    forget_sharding(parameter);
  }
}

void widen_loop(Program& program, const LoopInHand& loop, const std::vector<Shape>& more,
                std::optional<int64_t> limit, FreshNames& fresh) {
  Shape state = parameters(program.computation(loop.body)).front().get().shape;
  state.elements.edit().insert(state.elements.edit().end(), more.begin(), more.end());
  set_state(program, loop, state);
  if (!limit) return;
  Computation& condition = program.computations[at(loop.condition)];
  const Computation before = condition;
  ComputationRewrite rewrite(before);
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    const bool is_root = static_cast<int64_t>(k) == before.root.value;
    const InstructionId bound = before.root_instruction().operands[1];
    if (is_root)
      rewrite.stand_for(static_cast<size_t>(bound.value),
                        rewrite.add(scalar_constant(fresh("limit"), before.at(bound).shape.type, *limit)));
    rewrite.copy(k);
  }
  condition = std::move(rewrite).finish();
  drop_unread(condition);
}

Instruction loop_on(const Instruction& old, InstructionId state, Shape shape, std::optional<int64_t> rounds) {
  Instruction out = old;
  out.operands = {state};
  out.shape = std::move(shape);
  forget_sharding(out);
  if (!rounds) return out;
  out.verbatim.change([](std::vector<VerbatimAttribute>& all) {
    std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "backend_config"; });
  });
  out.verbatim.edit().push_back(
      {std::string("backend_config"), fmt::format(R"({{"known_trip_count":{{"n":"{}"}}}})", *rounds)});
  return out;
}

void drop_unread(Computation& computation) {
  std::vector<bool> kept(computation.instructions.size());
  kept[static_cast<size_t>(computation.root.value)] = true;
  for (size_t k = kept.size(); k-- > 0;) {
    const Instruction& i = computation.instructions[k];
    const bool makes_an_array_alone = is_plain_work(i) || is_collective(i.opcode) ||
                                      operation(i.opcode).kind == OpClass::tuple ||
                                      i.opcode == Opcode::constant;
    kept[k] = kept[k] || !makes_an_array_alone;
    if (!kept[k]) continue;
    each_needed(i, [&](size_t needed) { kept[needed] = true; });
  }
  const Computation before = std::move(computation);
  ComputationRewrite rewrite(before);
  for (size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) rewrite.copy(k);
  computation = std::move(rewrite).finish();
}

}  // namespace shardscope::inline backend
