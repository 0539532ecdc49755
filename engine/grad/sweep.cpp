// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/sweep.h"

#include <algorithm>
#include <set>

#include "engine/grad/loops.h"
#include "engine/grad/turn.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/tuple_elements.h"

namespace shardscope::inline grad {
namespace {

size_t at(InstructionId id) {
  return static_cast<size_t>(id.value);
}

// What costs next to nothing where its operands are there: it is not kept from one round to another.
bool is_light(const Instruction& i) {
  if (i.shape.is_tuple) return i.opcode == Opcode::tuple;
  const OpClass kind = operation(i.opcode).kind;
  return kind == OpClass::elementwise || kind == OpClass::source || kind == OpClass::movement ||
         kind == OpClass::tuple;
}

// A copy for page `page`, whose operands are `values`.
InstructionId copied_to(GradPage& page, const Instruction& i, const std::vector<InstructionId>& values,
                        bool again) {
  Instruction copy = i;
  for (InstructionId& id : copy.operands) id = values[at(id)];
  copy.control_predecessors = {};
  copy.called.change([&](std::vector<CalledComputation>& called) {
    for (CalledComputation& c : called) c.computation = page.module().copied(c.computation);
  });
  if (i.opcode == Opcode::get_tuple_element) {
    const InstructionId element = page.element(copy.operands[0], i.tuple_index);
    return element;
  }
  if (again) copy.name += ".again";
  return page.add(std::move(copy));
}

bool computed_again(Remat remat, const Instruction& i) {
  const OpClass kind = operation(i.opcode).kind;
  if (kind == OpClass::control && i.opcode != Opcode::optimization_barrier) return false;
  switch (remat) {
    case Remat::none:
      return false;
    case Remat::dots:
      return kind != OpClass::product && kind != OpClass::collective;
    case Remat::all:
      return true;
  }
  return false;
}

InstructionId saved_tuple(const GradSweep::Pages& pages, InstructionId on_ahead) {
  std::vector<InstructionId> elements;
  const size_t count = pages.ahead.shape(on_ahead).elements->size();
  for (size_t k = 0; k < count; ++k) {
    const InstructionId element = pages.ahead.element(on_ahead, static_cast<int64_t>(k));
    elements.push_back(pages.ahead.shape(element).is_tuple ? saved_tuple(pages, element)
                                                           : pages.saved(element));
  }
  return pages.back.tuple(elements);
}

}  // namespace

GradSweep::GradSweep(const Computation& from, std::vector<LeafFlags> active, Pages pages, Remat remat)
    : from_(from),
      active_(std::move(active)),
      pages_(std::move(pages)),
      remat_(remat),
      forward_(from.instructions.size()),
      replay_(from.instructions.size()),
      cheap_(from.instructions.size()) {
  for (const Instruction& i : from.instructions) bars_.emplace_back(leaf_count(i.shape));
}

bool GradSweep::is_known(size_t element) const {
  return pages_.is_known && pages_.is_known(static_cast<int64_t>(element));
}

void GradSweep::note_cheap() {
  for (size_t k = 0; k < cheap_.size(); ++k) {
    const Instruction& i = from_.instructions[k];
    if (i.opcode == Opcode::parameter) continue;
    if (const auto element = parameter_element(from_, i)) {
      cheap_[k] = is_known(*element);
      continue;
    }
    cheap_[k] =
        is_light(i) && std::ranges::all_of(i.operands, [this](InstructionId id) { return cheap_[at(id)]; });
  }
}

Result<void> GradSweep::forward(const std::vector<InstructionId>& parameters, const std::stop_token& stop) {
  for (size_t k = 0; k < forward_.size(); ++k) {
    if (stop.stop_requested()) return cancelled();
    const Instruction& i = from_.instructions[k];
    if (i.opcode == Opcode::parameter) {
      forward_[k] = parameters[static_cast<size_t>(i.parameter_number)];
    } else if (i.opcode == Opcode::while_ && any(active_[k])) {
      TRY(forward_[k], write_loop(*this, InstructionId(static_cast<int64_t>(k)), stop));
    } else {
      forward_[k] = copied_to(pages_.ahead, i, forward_, false);
    }
  }
  note_cheap();
  return {};
}

// Of what makes several arrays at once only those are kept that are read.
bool GradSweep::reads_operands(const Instruction& i, InstructionId id) const {
  const bool is_element = i.opcode == Opcode::get_tuple_element;
  const InstructionId maker = is_element ? i.operands[0] : id;
  if (is_parameter(maker)) return false;
  return (!is_element && cheap_[at(id)]) || from_.at(maker).opcode == Opcode::tuple ||
         computed_again(remat_, from_.at(maker));
}

InstructionId GradSweep::remade(InstructionId id) {
  const Instruction& i = from_.at(id);
  if (const auto element = parameter_element(from_, i); element && is_known(*element))
    return pages_.known(i.tuple_index);
  if (reads_operands(i, id)) return copied_to(pages_.back, i, replay_, true);
  const InstructionId on_ahead = forward_[at(id)];
  return pages_.ahead.shape(on_ahead).is_tuple ? saved_tuple(pages_, on_ahead) : pages_.saved(on_ahead);
}

InstructionId GradSweep::primal(InstructionId id) {
  const auto is_there = [this](InstructionId i) { return is_parameter(i) || cheap_[at(i)]; };
  if (one_page() && (remat_ == Remat::none || is_there(id))) return forward_[at(id)];
  // What it takes, in the order of the computation.
  std::vector<InstructionId> open = {id};
  std::set<InstructionId> missing;
  while (!open.empty()) {
    const InstructionId next = open.back();
    open.pop_back();
    if (replay_[at(next)].valid() || missing.contains(next)) continue;
    if (one_page() && is_there(next)) {
      replay_[at(next)] = forward_[at(next)];
      continue;
    }
    missing.insert(next);
    const Instruction& i = from_.at(next);
    if (reads_operands(i, next)) open.insert(open.end(), i.operands.begin(), i.operands.end());
  }
  const Instruction* source = pages_.back.visit(nullptr);
  for (const InstructionId next : missing) replay_[at(next)] = remade(next);
  pages_.back.visit(source);
  return replay_[at(id)];
}

void GradSweep::give(InstructionId id, size_t leaf, InstructionId bar) {
  if (!is_active(id, leaf) || !bar.valid() || pages_.back.shape(bar).element_count() == 0) return;
  InstructionId& so_far = bars_[at(id)][leaf];
  so_far = so_far.valid() ? pages_.back.op(Opcode::add, {so_far, bar}) : bar;
}

std::vector<InstructionId> GradSweep::active_bars(InstructionId id) {
  std::vector<InstructionId> out;
  const std::vector<Shape> leaves = leaves_of(from_.at(id).shape);
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (!is_active(id, k)) continue;
    const InstructionId so_far = bar(id, k);
    out.push_back(so_far.valid() ? so_far : pages_.back.zeros(Shape::array(leaves[k].type, leaves[k].dims)));
  }
  return out;
}

Result<void> GradSweep::backward(const std::stop_token& stop) {
  for (size_t k = from_.instructions.size(); k-- > 0;) {
    if (stop.stop_requested()) return cancelled();
    const Instruction& i = from_.instructions[k];
    const bool has_bar = std::ranges::any_of(bars_[k], [](InstructionId bar) { return bar.valid(); });
    if (!has_bar || i.opcode == Opcode::parameter) continue;
    const GradTurn turn{*this, InstructionId(static_cast<int64_t>(k))};
    const GradRule rule = grad_rule(i.opcode);
    if (rule == nullptr) return turn.error(grad_hole(i.opcode));
    pages_.back.visit(&i);
    TRY_VOID(rule(turn));
    pages_.back.visit(nullptr);
  }
  return {};
}

}  // namespace shardscope::inline grad
