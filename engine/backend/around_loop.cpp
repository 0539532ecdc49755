// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/around_loop.h"

#include <algorithm>
#include <utility>

namespace shardscope::inline backend {

void each_while(const Program& program, const std::stop_token& stop,
                const std::function<void(size_t caller, size_t place)>& visit) {
  const std::vector<bool> runs = executed_computations(program);
  for (size_t c = 0; c < runs.size(); ++c) {
    if (!runs[c]) continue;
    std::vector<std::string> loops;
    for (const Instruction& i : program.computations[c].instructions)
      if (i.opcode == Opcode::while_) loops.push_back(i.name);
    for (const std::string& name : loops) {
      if (stop.stop_requested()) return;
      const auto& instructions = program.computations[c].instructions;
      const auto at = std::ranges::find(instructions, name, &Instruction::name);
      if (at != instructions.end()) visit(c, static_cast<size_t>(at - instructions.begin()));
    }
  }
}

PassEffect each_loop(Program& program, const std::stop_token& stop, const LoopChange& change) {
  PassEffect out;
  FreshNames fresh(program);
  std::vector<int64_t> calls = calls_of_each(program);
  each_while(program, stop, [&](size_t caller, size_t place) {
    const auto loop = loop_in_hand(program, caller, place, calls);
    if (!loop) return;
    const size_t said = out.said.size();
    change(program, *loop, fresh, out);
    if (out.said.size() > said) calls = calls_of_each(program);  // a round may stand there twice now
  });
  return out;
}

Computation& body_of(Program& program, const ElementLoop& loop) {
  return program.computations[static_cast<size_t>(loop.body.value)];
}

Elements elements_of(const std::vector<InstructionId>& ids) {
  return [&ids](size_t n) { return ids[n]; };
}

InstructionId parameter_of(const ComputationRewrite& to, const Computation& body) {
  return to.at(parameter_ids(body).front());
}

Shape tuple_shape(const ComputationRewrite& to, const std::vector<InstructionId>& elements) {
  std::vector<Shape> shapes;
  for (const InstructionId id : elements) shapes.push_back(to.made(id).shape);
  return Shape::tuple(std::move(shapes));
}

InstructionId new_root(const Computation& body, std::vector<InstructionId> elements, ComputationRewrite& to) {
  Instruction root = body.root_instruction();
  root.shape = tuple_shape(to, elements);
  root.operands = std::move(elements);
  forget_sharding(root);
  return to.add(std::move(root));
}

AroundLoop::AroundLoop(const Computation& caller, const ElementLoop& loop, FreshNames& fresh)
    : caller_(caller), loop_(loop), fresh_(fresh), to_(caller) {
  for (size_t k = 0; k < loop.place; ++k) to_.copy(k);
  const Instruction& old = this->old();
  const InstructionId state = to_.at(old.operands.front());
  const Instruction tuple = to_.made(state);
  for (size_t n = 0; n < loop.elements; ++n)
    before_.push_back(tuple.opcode == Opcode::tuple
                          ? tuple.operands[n]
                          : to_.add(tuple_element(fresh(old.name + ".before"), old.shape, state, n)));
}

std::vector<InstructionId> AroundLoop::run(std::vector<InstructionId> state, std::optional<int64_t> rounds) {
  const Shape shape = tuple_shape(to_, state);
  const size_t count = state.size();
  const InstructionId tuple =
      to_.add(made_instruction(fresh_(old().name + ".state"), Opcode::tuple, shape, std::move(state)));
  const InstructionId loop = to_.add(loop_on(old(), tuple, shape, rounds));
  std::vector<InstructionId> out;
  for (size_t n = 0; n < count; ++n)
    out.push_back(to_.add(tuple_element(fresh_(old().name + ".after"), shape, loop, n)));
  return out;
}

Computation AroundLoop::finish(std::vector<InstructionId> result) && {
  result.resize(loop_.elements);
  to_.stand_for(loop_.place, to_.add(made_instruction(fresh_(old().name + ".result"), Opcode::tuple,
                                                      old().shape, result)));
  for (size_t k = loop_.place + 1; k < caller_.instructions.size(); ++k) {
    const Instruction& i = caller_.instructions[k];
    const bool reads_it = i.opcode == Opcode::get_tuple_element &&
                          i.operands.front().value == static_cast<int64_t>(loop_.place);
    if (reads_it)
      to_.stand_for(k, result[static_cast<size_t>(i.tuple_index)]);
    else
      to_.copy(k);
  }
  Computation out = std::move(to_).finish();
  drop_unread(out);
  return out;
}

}  // namespace shardscope::inline backend
