// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/loop_passes.h"

#include <algorithm>
#include <utility>

#include "engine/backend/around_loop.h"
#include "engine/base/say.h"
#include "engine/base/text.h"

namespace shardscope::inline backend {
namespace {

struct Ahead {
  size_t place = 0;            // of the collective
  std::vector<size_t> places;  // what it is computed by
};

std::vector<Ahead> that_follow(const Program& program, const LoopInHand& loop, bool counts,
                               const std::function<bool(const Instruction&)>& which) {
  const Computation& body = program.computation(loop.loop.body);
  std::vector<Ahead> out;
  for (size_t k = 0; k < body.instructions.size(); ++k) {
    const Instruction& i = body.instructions[k];
    if (!which(i) || i.shape.is_tuple || i.operands.size() != 1) continue;
    if (auto places = follows_from_round(program, loop, i.operands, counts)) out.push_back({k, *places});
  }
  return out;
}

// The collective of it, once more, on elements of a state.
InstructionId written(const Computation& body, const Ahead& ahead, const Elements& elements,
                      const CopyNames& names, ComputationRewrite& to) {
  const auto made = copy_places(body, ahead.places, elements, names, to);
  Instruction collective = names.renamed(body.instructions[ahead.place]);
  collective.operands = {made.at(static_cast<size_t>(collective.operands.front().value))};
  return to.add(std::move(collective));
}

std::vector<Shape> shapes_of(const Computation& body, const std::vector<Ahead>& all) {
  std::vector<Shape> out;
  for (const Ahead& each : all) out.push_back(body.instructions[each.place].shape);
  return out;
}

std::string names_of(const Computation& body, const std::vector<Ahead>& all) {
  std::vector<std::string> out;
  for (const Ahead& each : all) out.push_back(body.instructions[each.place].name);
  return join(out, ", ");
}

// The body with elements of its state for these collectives; `next` writes what the state has for the next
// round.
void read_from_state(Program& program, const LoopInHand& loop, const std::vector<Ahead>& all,
                     FreshNames& fresh,
                     const std::function<InstructionId(const Ahead&, size_t n, ComputationRewrite&)>& next) {
  const Computation before = body_of(program, loop);
  ComputationRewrite to(before);
  for (size_t k = 0; k < before.instructions.size(); ++k) {
    if (static_cast<int64_t>(k) == before.root.value) continue;
    const auto moved = std::ranges::find(all, k, &Ahead::place);
    if (moved == all.end()) {
      to.copy(k);
      continue;
    }
    const InstructionId state = parameter_of(to, before);
    const size_t n = loop.elements + static_cast<size_t>(moved - all.begin());
    to.stand_for(k, to.add(tuple_element(fresh(before.instructions[k].name + ".element"),
                                         to.made(state).shape, state, n)));
  }
  std::vector<InstructionId> root;
  for (const InstructionId id : before.root_instruction().operands) root.push_back(to.at(id));
  for (size_t n = 0; n < all.size(); ++n) root.push_back(next(all[n], n, to));
  const InstructionId made = new_root(before, std::move(root), to);
  Computation body = std::move(to).finish(made);
  drop_unread(body);
  body_of(program, loop) = std::move(body);
}

void hoist(Program& program, const LoopInHand& loop, FreshNames& fresh, PassEffect& out) {
  const std::vector<Ahead> all =
      that_follow(program, loop, false, [](const Instruction& i) { return is_collective(i.opcode); });
  if (all.empty() || loop.loop.rounds < 1) return;
  const Computation body = body_of(program, loop), caller = program.computations[loop.caller];
  const CopyNames names{fresh, out.links};
  AroundLoop around(caller, loop, fresh);
  std::vector<InstructionId> state = around.before();
  for (const Ahead& each : all)
    state.push_back(written(body, each, elements_of(around.before()), names, around.to()));
  const std::vector<InstructionId> after = around.run(std::move(state), loop.loop.rounds);
  Computation rewritten = std::move(around).finish(after);
  widen_loop(program, loop, shapes_of(body, all), std::nullopt, fresh);
  read_from_state(program, loop, all, fresh, [&](const Ahead& each, size_t, ComputationRewrite& to) {
    return to.at(InstructionId(static_cast<int64_t>(each.place)));
  });
  program.computations[loop.caller] = std::move(rewritten);
  out.said.push_back(say("{}: the same in every round, done once in front of the loop", names_of(body, all)));
}

void gather_one_ahead(Program& program, const LoopInHand& loop, FreshNames& fresh, PassEffect& out) {
  const std::vector<Ahead> all =
      that_follow(program, loop, true, [](const Instruction& i) { return i.opcode == Opcode::all_gather; });
  if (all.empty() || loop.loop.rounds < 2) return;
  const Computation body = body_of(program, loop), caller = program.computations[loop.caller];
  const CopyNames names{fresh, out.links};
  AroundLoop around(caller, loop, fresh);
  std::vector<InstructionId> state = around.before();
  for (const Ahead& each : all)
    state.push_back(written(body, each, elements_of(around.before()), names, around.to()));
  const std::vector<InstructionId> after = around.run(std::move(state), loop.loop.rounds - 1);
  std::map<size_t, InstructionId> instead;
  for (size_t n = 0; n < all.size(); ++n) instead[all[n].place] = after[loop.elements + n];
  const std::vector<InstructionId> result =
      write_round(body, elements_of(after), std::move(instead), names, around.to());
  Computation rewritten = std::move(around).finish(result);
  widen_loop(program, loop, shapes_of(body, all), loop.loop.first + loop.loop.step * (loop.loop.rounds - 1),
             fresh);
  read_from_state(program, loop, all, fresh, [&](const Ahead& each, size_t, ComputationRewrite& to) {
    const Elements next = [&](size_t n) { return to.at(body.root_instruction().operands[n]); };
    return written(body, each, next, names, to);
  });
  program.computations[loop.caller] = std::move(rewritten);
  out.said.push_back(
      say("{}: the round before gathers it, while it computes; the first time in front of the "
          "loop, whose last round stands behind it",
          names_of(body, all)));
}

void unroll_twice(Program& program, const LoopInHand& loop, FreshNames& fresh, PassEffect& out) {
  if (loop.loop.rounds < 2) return;
  const Computation body = body_of(program, loop), caller = program.computations[loop.caller];
  const CopyNames names{fresh, out.links};
  AroundLoop around(caller, loop, fresh);
  std::vector<InstructionId> state = around.before();
  if (loop.loop.rounds % 2 == 1)
    state = write_round(body, elements_of(around.before()), {}, names, around.to());
  const std::vector<InstructionId> after = around.run(std::move(state), loop.loop.rounds / 2);
  Computation rewritten = std::move(around).finish(after);
  ComputationRewrite to(body);
  std::vector<InstructionId> first;
  for (size_t k = 0; k < body.instructions.size(); ++k)
    if (static_cast<int64_t>(k) != body.root.value) to.copy(k);
  for (const InstructionId id : body.root_instruction().operands) first.push_back(to.at(id));
  const InstructionId root = new_root(body, write_round(body, elements_of(first), {}, names, to), to);
  body_of(program, loop) = std::move(to).finish(root);
  program.computations[loop.caller] = std::move(rewritten);
  out.said.push_back(
      say("{}: two rounds at once, {} times", caller.instructions[loop.place].name, loop.loop.rounds / 2));
}

}  // namespace

PassEffect hoist_unchanging(Program& program, const std::stop_token& stop) {
  return each_loop(program, stop, hoist);
}

PassEffect gather_ahead(Program& program, const std::stop_token& stop) {
  return each_loop(program, stop, gather_one_ahead);
}

PassEffect two_rounds_at_once(Program& program, const std::stop_token& stop) {
  return each_loop(program, stop, unroll_twice);
}

}  // namespace shardscope::inline backend
