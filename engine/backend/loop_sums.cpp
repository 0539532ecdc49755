// SPDX-License-Identifier: Apache-2.0
// Passes that move sums over devices behind the round, or the loop, that they are of.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/backend/around_loop.h"
#include "engine/backend/loop_passes.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/tuple_elements.h"

namespace shardscope::inline backend {
namespace {

size_t place(InstructionId id) {
  return static_cast<size_t>(id.value);
}
InstructionId id_of(size_t k) {
  return InstructionId(static_cast<int64_t>(k));
}

// ---- sums that are added up

// Element `element` of the state becomes itself plus the sum at `sum`, by the instruction at `add`.
struct AddedSum {
  size_t element = 0, sum = 0, add = 0;
};

std::vector<AddedSum> added_sums(const Program& program, const LoopInHand& loop) {
  const Computation& body = program.computation(loop.loop.body);
  const auto readers = followers_of(body);
  std::vector<AddedSum> out;
  for (size_t n = 0; n < loop.elements; ++n) {
    const InstructionId root = body.root_instruction().operands[n];
    const Instruction& add = body.at(root);
    if (add.opcode != Opcode::add || readers[place(root)].size() != 1) continue;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const InstructionId kept = add.operands[side], sum = add.operands[1 - side];
      const Instruction& i = body.at(sum);
      if (parameter_element(body, body.at(kept)) != n || readers[place(kept)].size() != 1) continue;
      if (i.opcode != Opcode::all_reduce || i.operands.size() != 1 || i.shape.is_tuple || i.rooted ||
          readers[place(sum)].size() != 1 || reducer_opcode(program, i) != Opcode::add)
        continue;
      out.push_back({n, place(sum), place(root)});
      break;
    }
  }
  return out;
}

InstructionId zeros(const Shape& shape, FreshNames& fresh, ComputationRewrite& to) {
  const InstructionId zero = to.add(scalar_constant(fresh("zero"), shape.type, 0));
  if (shape.rank() == 0) return zero;
  return to.add(made_instruction(fresh("zeros"), Opcode::broadcast, shape, {zero}));
}

void take_sums_behind(Program& program, const LoopInHand& loop, FreshNames& fresh, PassEffect& out) {
  const std::vector<AddedSum> all = added_sums(program, loop);
  if (all.empty() || loop.loop.rounds < 1) return;
  const Computation body = body_of(program, loop), caller = program.computations[loop.caller];
  const CopyNames names{fresh, out.links};
  AroundLoop around(caller, loop, fresh);
  std::vector<InstructionId> state = around.before();
  for (const AddedSum& sum : all)
    state[sum.element] = zeros(body.instructions[sum.sum].shape, fresh, around.to());
  std::vector<InstructionId> after = around.run(std::move(state), loop.loop.rounds);
  std::vector<std::string> said_of;
  for (const AddedSum& sum : all) {
    Instruction reduced = names.renamed(body.instructions[sum.sum]);
    reduced.operands = {after[sum.element]};
    Instruction added = names.renamed(body.instructions[sum.add]);
    added.operands = {around.before()[sum.element], around.to().add(std::move(reduced))};
    after[sum.element] = around.to().add(std::move(added));
    said_of.push_back(body.instructions[sum.sum].name);
  }
  Computation rewritten = std::move(around).finish(after);
  ComputationRewrite to(body);
  for (size_t k = 0; k < body.instructions.size(); ++k) {
    if (std::ranges::count(all, k, &AddedSum::sum) > 0)
      to.stand_for(k, to.at(body.instructions[k].operands.front()));
    else
      to.copy(k);
  }
  body_of(program, loop) = std::move(to).finish();
  program.computations[loop.caller] = std::move(rewritten);
  out.said.push_back(
      say("{}: taken once, behind the loop, whose rounds add up what each device has", join(said_of, ", ")));
}

// ---- sums that are kept, one of each round

// A sum that is only written into its place of an array of all rounds.
struct KeptSum {
  size_t sum = 0, update = 0, element = 0;
  std::vector<size_t> between;  // from the sum to the update: the same elements in another shape or type
  std::vector<size_t> places;   // what the place is computed by
};

bool keeps_elements(const Instruction& i) {
  constexpr std::array kSame{Opcode::reshape,   Opcode::bitcast, Opcode::convert,
                             Opcode::transpose, Opcode::copy,    Opcode::negate};
  return std::ranges::count(kSame, i.opcode) > 0;
}

std::optional<KeptSum> kept_sum(const Program& program, const LoopInHand& loop, size_t k,
                                const ReadersOf& readers) {
  const Computation& body = program.computation(loop.loop.body);
  KeptSum out{k, 0, 0, {}, {}};
  size_t at = k;
  while (readers[at].size() == 1 && keeps_elements(body.instructions[readers[at].front()])) {
    at = readers[at].front();
    out.between.push_back(at);
  }
  if (readers[at].size() != 1) return std::nullopt;
  out.update = readers[at].front();
  const Instruction& update = body.instructions[out.update];
  if (update.opcode != Opcode::dynamic_update_slice || place(update.operands[1]) != at ||
      readers[out.update] != std::vector<size_t>{place(body.root)})
    return std::nullopt;
  const auto element = parameter_element(body, body.at(update.operands[0]));
  if (!element || readers[place(update.operands[0])].size() != 1 ||
      body.root_instruction().operands[*element] != id_of(out.update))
    return std::nullopt;
  const std::vector<InstructionId> where(update.operands.begin() + 2, update.operands.end());
  const auto places = follows_from_round(program, loop, where, true);
  if (!places) return std::nullopt;
  out.element = *element;
  out.places = *places;
  return out;
}

std::vector<KeptSum> kept_sums(const Program& program, const LoopInHand& loop, Opcode opcode) {
  const Computation& body = program.computation(loop.loop.body);
  const auto readers = followers_of(body);
  std::vector<KeptSum> out;
  for (size_t k = 0; k < body.instructions.size(); ++k) {
    const Instruction& i = body.instructions[k];
    if (i.opcode != opcode || i.operands.size() != 1 || i.shape.is_tuple || i.rooted) continue;
    if (auto kept = kept_sum(program, loop, k, readers)) out.push_back(*std::move(kept));
  }
  return out;
}

// What is done of it a round later, on what the round before left: `sent`, into `array`. Gives the array.
struct Later {
  InstructionId sent, array;
  const Elements& elements;  // of the state in which it is done
};
InstructionId write_later(const Computation& body, const LoopInHand& loop, const KeptSum& kept,
                          const Later& later, const CopyNames& names, ComputationRewrite& to) {
  const InstructionId counter = later.elements(loop.loop.counter);
  const ElementType type = to.made(counter).shape.type;
  const InstructionId back = to.add(scalar_constant(names.fresh("back"), type, -loop.loop.step));
  const InstructionId before = to.add(
      made_instruction(names.fresh("round_before"), Opcode::add, to.made(counter).shape, {counter, back}));
  const Elements of_before = [&](size_t n) { return n == loop.loop.counter ? before : later.elements(n); };
  const auto where = copy_places(body, kept.places, of_before, names, to);
  Instruction sum = names.renamed(body.instructions[kept.sum]);
  sum.operands = {later.sent};
  InstructionId at = to.add(std::move(sum));
  for (const size_t k : kept.between) {
    Instruction same = names.renamed(body.instructions[k]);
    same.operands = {at};
    at = to.add(std::move(same));
  }
  Instruction update = names.renamed(body.instructions[kept.update]);
  for (size_t n = 2; n < update.operands.size(); ++n)
    update.operands[n] = where.at(place(update.operands[n]));
  update.operands[0] = later.array;
  update.operands[1] = at;
  return to.add(std::move(update));
}

// By place whether it is done a round later.
std::vector<bool> moved_places(const Computation& body, const std::vector<KeptSum>& all) {
  std::vector<bool> out(body.instructions.size());
  for (const KeptSum& kept : all) {
    out[kept.sum] = out[kept.update] = true;
    for (const size_t k : kept.between) out[k] = true;
  }
  return out;
}

void write_pipelined_body(Program& program, const LoopInHand& loop, const std::vector<KeptSum>& all,
                          const CopyNames& names) {
  const Computation before = body_of(program, loop);
  const std::vector<bool> moved = moved_places(before, all);
  ComputationRewrite to(before);
  for (size_t k = 0; k < before.instructions.size(); ++k)
    if (static_cast<int64_t>(k) != before.root.value && !moved[k]) to.copy(k);
  const InstructionId state = parameter_of(to, before);
  const Shape shape = to.made(state).shape;
  const Elements elements = [&](size_t n) {
    return to.add(tuple_element(names.fresh("state.element"), shape, state, n));
  };
  std::vector<InstructionId> root;
  for (const InstructionId id : before.root_instruction().operands)
    root.push_back(moved[place(id)] ? InstructionId() : to.at(id));
  for (size_t n = 0; n < all.size(); ++n) {
    const Later later{elements(loop.elements + n), elements(all[n].element), elements};
    root[all[n].element] = write_later(before, loop, all[n], later, names, to);
  }
  for (const KeptSum& kept : all) root.push_back(to.at(before.instructions[kept.sum].operands.front()));
  const InstructionId made = new_root(before, std::move(root), to);
  Computation body = std::move(to).finish(made);
  drop_unread(body);
  body_of(program, loop) = std::move(body);
}

void sum_one_later(Program& program, const LoopInHand& loop, Opcode opcode, FreshNames& fresh,
                   PassEffect& out) {
  const std::vector<KeptSum> all = kept_sums(program, loop, opcode);
  if (all.empty() || loop.loop.rounds < 2) return;
  const Computation body = body_of(program, loop), caller = program.computations[loop.caller];
  const CopyNames names{fresh, out.links};
  AroundLoop around(caller, loop, fresh);
  ComputationRewrite& to = around.to();
  // The first round, whose sums and updates wait; what they send is in the state from then on.
  std::map<size_t, InstructionId> instead;
  const std::vector<bool> moved = moved_places(body, all);
  for (size_t k = 0; k < moved.size(); ++k)
    if (moved[k]) instead[k] = InstructionId();
  for (const KeptSum& kept : all) instead[kept.update] = around.before()[kept.element];
  Computation first = body;
  std::vector<InstructionId>& kept_for_root = first.instructions[place(first.root)].operands;
  for (const KeptSum& kept : all) kept_for_root.push_back(body.instructions[kept.sum].operands.front());
  std::vector<InstructionId> state =
      write_round(first, elements_of(around.before()), std::move(instead), names, to);
  std::vector<InstructionId> after = around.run(std::move(state), loop.loop.rounds - 1);
  const Elements elements = elements_of(after);
  std::vector<std::string> said_of;
  for (size_t n = 0; n < all.size(); ++n) {
    const Later later{after[loop.elements + n], after[all[n].element], elements};
    after[all[n].element] = write_later(body, loop, all[n], later, names, to);
    said_of.push_back(body.instructions[all[n].sum].name);
  }
  Computation rewritten = std::move(around).finish(after);
  std::vector<Shape> shapes;
  for (const KeptSum& kept : all)
    shapes.push_back(body.at(body.instructions[kept.sum].operands.front()).shape);
  widen_loop(program, loop, shapes, std::nullopt, fresh);
  write_pipelined_body(program, loop, all, names);
  program.computations[loop.caller] = std::move(rewritten);
  out.said.push_back(
      say("{}: the next round adds it up, while it computes; the first round stands in front of "
          "the loop, the last sum behind it",
          join(said_of, ", ")));
}

}  // namespace

PassEffect sum_behind_loops(Program& program, const std::stop_token& stop) {
  return each_loop(program, stop, take_sums_behind);
}

PassEffect sum_later(Program& program, Opcode opcode, const std::stop_token& stop) {
  return each_loop(program, stop,
                   [opcode](Program& p, const LoopInHand& loop, FreshNames& fresh, PassEffect& out) {
                     sum_one_later(p, loop, opcode, fresh, out);
                   });
}

}  // namespace shardscope::inline backend
