// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/backend/around_loop.h"
#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

size_t index_of(InstructionId id) {
  return static_cast<size_t>(id.value);
}

// What costs no more than to read it again is not worth an array, unless something else is made of it.
bool is_worth_carrying(const Instruction& i) {
  static const OpTable<bool> kCheap({}, {{Opcode::constant, true},
                                         {Opcode::get_tuple_element, true},
                                         {Opcode::bitcast, true},
                                         {Opcode::broadcast, true},
                                         {Opcode::iota, true},
                                         {Opcode::reshape, true},
                                         {Opcode::reverse, true},
                                         {Opcode::slice, true},
                                         {Opcode::transpose, true}});
  return !kCheap[i.opcode];
}

bool is_array_of_its_operands(const Instruction& i) {
  if (i.shape.is_tuple || !i.control_predecessors.empty()) return false;
  static const OpTable<bool> kCollected({}, {{Opcode::all_gather, true}});
  return has(i.opcode, Trait::spelled) || is_plain_work(i) || kCollected[i.opcode];
}

class Rounds {
 public:
  Rounds(Program& program, ElementLoop loop)
      : program_(program), loop_(std::move(loop)), body_(body_of(program, loop_)) {
    find_alike();
    find_read();
  }

  bool changes() const {
    return std::ranges::count(carried_, true) > 0 || std::ranges::count(unread_, true) > 0;
  }

  void write(FreshNames& fresh) {
    const Computation caller = program_.computations[loop_.caller];
    AroundLoop around(caller, loop_, fresh);
    std::vector<InstructionId> state = around.before();
    for (const InstructionId made : moved_in_front(state, around.to(), fresh)) state.push_back(made);
    for (size_t e = 0; e < loop_.elements; ++e)
      if (unread_[e])
        state[e] =
            around.to().add(scalar_constant(fresh(around.old().name + ".unread"), ElementType::pred, 0));
    const Shape shape = tuple_shape(around.to(), state);
    std::vector<InstructionId> behind = around.run(std::move(state), std::nullopt);
    for (size_t e = 0; e < loop_.elements; ++e)
      if (loop_.unchanged[e]) behind[e] = around.before()[e];
    program_.computations[loop_.caller] = std::move(around).finish(std::move(behind));
    set_state(program_, loop_, shape);
    write_body(fresh);
  }

 private:
  const Instruction& at(size_t k) const { return body_.instructions[k]; }
  std::optional<size_t> element(size_t k) const { return parameter_element(body_, at(k)); }

  void find_alike() {
    alike_.resize(body_.instructions.size());
    for (size_t k = 0; k < alike_.size(); ++k) {
      if (const auto e = element(k))
        alike_[k] = loop_.unchanged[*e];
      else
        alike_[k] =
            is_array_of_its_operands(at(k)) &&
            std::ranges::all_of(at(k).operands, [&](InstructionId id) { return alike_[index_of(id)]; });
    }
  }

  // Of the body as it will be.
  void find_read() {
    std::vector<bool> read(alike_.size());
    read[index_of(body_.root)] = true;
    carried_.resize(alike_.size());
    std::vector<bool> element_read(loop_.elements);
    for (size_t k = alike_.size(); k-- > 0;) {
      const bool stays = !is_array_of_its_operands(at(k)) && at(k).opcode != Opcode::get_tuple_element;
      if (!read[k] && !stays) continue;
      carried_[k] = alike_[k] && is_worth_carrying(at(k));
      if (carried_[k]) continue;
      const bool passes_on = k == index_of(body_.root);
      if (const auto e = element(k)) element_read[*e] = true;
      for (size_t n = 0; n < at(k).operands.size(); ++n)
        if (!passes_on || !loop_.unchanged[n]) read[index_of(at(k).operands[n])] = true;
    }
    const Computation& condition = program_.computation(loop_.condition);
    for (const Instruction& i : condition.instructions)
      if (const auto e = parameter_element(condition, i)) element_read[*e] = true;
    for (size_t e = 0; e < loop_.elements; ++e)
      unread_.push_back(loop_.unchanged[e] && !element_read[e] && !is_number(e));
  }
  bool is_number(size_t element) const {
    return (*parameters(body_).front().get().shape.elements)[element].rank() == 0;
  }

  // What is carried, and what that is made of, once.
  std::vector<InstructionId> moved_in_front(const std::vector<InstructionId>& state, ComputationRewrite& to,
                                            FreshNames& fresh) const {
    std::vector<bool> wanted = carried_;
    for (size_t k = wanted.size(); k-- > 0;)
      if (wanted[k] && !element(k))
        for (const InstructionId id : at(k).operands) wanted[index_of(id)] = true;
    std::map<size_t, InstructionId> made;
    std::vector<InstructionId> out;
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k]) continue;
      if (const auto e = element(k)) {
        made[k] = state[*e];
      } else {
        Instruction i = at(k);
        i.provenance.edit().source = source_name(i);
        i.name = fresh(i.name + ".once");
        for (InstructionId& operand : i.operands) operand = made.at(index_of(operand));
        made[k] = to.add(std::move(i));
      }
      if (carried_[k]) out.push_back(made[k]);
    }
    return out;
  }

  void write_body(FreshNames& fresh) {
    const Computation before = body_of(program_, loop_);
    ComputationRewrite to(before);
    const InstructionId parameter = parameter_ids(before).front();
    to.copy(index_of(parameter));
    const auto passed = [&](size_t n) {
      const InstructionId state = to.at(parameter);
      return to.add(tuple_element(fresh(before.name + ".alike"), to.made(state).shape, state, n));
    };
    std::vector<InstructionId> more;
    for (size_t k = 0; k < before.instructions.size(); ++k) {
      const InstructionId id(static_cast<int64_t>(k));
      if (carried_[k]) {
        more.push_back(passed(loop_.elements + more.size()));
        to.stand_for(k, more.back());
      } else if (id != before.root && id != parameter) {
        to.copy(k);
      }
    }
    std::vector<InstructionId> next;
    for (size_t e = 0; e < loop_.elements; ++e)
      next.push_back(unread_[e] ? passed(e) : to.at(before.root_instruction().operands[e]));
    next.insert(next.end(), more.begin(), more.end());
    const InstructionId root = new_root(before, std::move(next), to);
    Computation body = std::move(to).finish(root);
    drop_unread(body);
    body_of(program_, loop_) = std::move(body);
  }

  Program& program_;
  const ElementLoop loop_;
  const Computation body_;             // as it was
  std::vector<bool> unread_;           // by element: each round passes it on and nobody reads it there
  std::vector<bool> alike_, carried_;  // by place of the body: the same each round; from now on an element
};

// A loop over arrays whose result too is read element by element.
std::optional<ElementLoop> loop_over_arrays(const Program& program, const std::vector<int64_t>& calls,
                                            size_t caller, size_t place) {
  const Computation& c = program.computations[caller];
  const InstructionId loop(static_cast<int64_t>(place));
  const bool over_arrays =
      is_read_by_element(c, loop) &&
      std::ranges::none_of(*c.at(loop).shape.elements, [](const Shape& s) { return s.is_tuple; });
  return over_arrays ? element_loop(program, caller, place, calls) : std::nullopt;
}

}  // namespace

void compute_once_for_all_rounds(Program& program, FreshNames& fresh, const std::stop_token& stop) {
  const std::vector<int64_t> calls = calls_of_each(program);
  each_while(program, stop, [&](size_t caller, size_t place) {
    const auto loop = loop_over_arrays(program, calls, caller, place);
    if (!loop) return;
    Rounds rounds(program, *loop);
    if (rounds.changes()) rounds.write(fresh);
  });
}

}  // namespace shardscope::inline backend
