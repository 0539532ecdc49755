// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_loops.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/backend/loop_rewrite.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

size_t index_of(InstructionId id) {
  return static_cast<size_t>(id.value);
}
size_t index_of(ComputationId id) {
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

// What an instruction is to a loop.
enum class LoopRole : uint8_t { work, element, state, tuple, loop, spread };
LoopRole loop_role(const Instruction& i) {
  static const OpTable<LoopRole> kRoles({}, {{Opcode::get_tuple_element, LoopRole::element},
                                             {Opcode::parameter, LoopRole::state},
                                             {Opcode::tuple, LoopRole::tuple},
                                             {Opcode::while_, LoopRole::loop},
                                             {Opcode::broadcast, LoopRole::spread}});
  return kRoles[i.opcode];
}

bool is_array_of_its_operands(const Instruction& i) {
  if (i.shape.is_tuple || !i.control_predecessors.empty()) return false;
  return has(i.opcode, Trait::spelled) || is_plain_work(i);
}

struct Loop {
  size_t caller = 0, at = 0, body = 0, condition = 0;
  size_t parameter = 0, elements = 0;  // of the body
};

class Rounds {
 public:
  Rounds(Program& program, Loop loop, const std::set<std::string>& widened)
      : program_(program), loop_(loop), widened_(widened), body_(program.computations[loop.body]) {
    find_alike();
    find_read();
  }

  bool changes() const {
    return std::ranges::count(carried_, true) > 0 || std::ranges::count(unread_, true) > 0;
  }

  void write(FreshNames& fresh) {
    const Computation caller = program_.computations[loop_.caller];
    ComputationRewrite to(caller);
    for (size_t k = 0; k < loop_.at; ++k) to.copy(k);
    const Instruction& old = caller.instructions[loop_.at];
    std::vector<InstructionId> state = state_in_front(caller, to, fresh);
    for (const InstructionId made : moved_in_front(state, to, fresh)) {
      state.push_back(made);
    }
    for (size_t e = 0; e < loop_.elements; ++e)
      if (unread_[e]) state[e] = to.add(scalar_constant(fresh(old.name + ".unread"), ElementType::pred, 0));
    std::vector<Shape> shapes;
    for (const InstructionId id : state) shapes.push_back(to.made(id).shape);
    const Shape shape = Shape::tuple(std::move(shapes));
    Instruction loop = old;
    loop.shape = shape;
    loop.operands = {to.add(made_instruction(fresh(old.name + ".state"), Opcode::tuple, shape, state))};
    forget_sharding(loop);
    to.stand_for(loop_.at, to.add(std::move(loop)));
    for (size_t k = loop_.at + 1; k < caller.instructions.size(); ++k) {
      const Instruction& i = caller.instructions[k];
      const bool passes = loop_role(i) == LoopRole::element && index_of(i.operands[0]) == loop_.at &&
                          unchanged_[static_cast<size_t>(i.tuple_index)];
      if (passes)
        to.stand_for(k, before_[static_cast<size_t>(i.tuple_index)]);
      else
        to.copy(k);
    }
    program_.computations[loop_.caller] = std::move(to).finish();
    drop_unread(program_.computations[loop_.caller]);
    write_body(shape, fresh);
    reshape_state(program_.computations[loop_.condition], shape);
  }

 private:
  const Instruction& at(size_t k) const { return body_.instructions[k]; }
  bool is_element(size_t k) const {
    return loop_role(at(k)) == LoopRole::element && index_of(at(k).operands[0]) == loop_.parameter;
  }

  void find_alike() {
    const Instruction& root = body_.root_instruction();
    for (size_t e = 0; e < loop_.elements; ++e) {
      const size_t next = index_of(root.operands[e]);
      unchanged_.push_back(is_element(next) && static_cast<size_t>(at(next).tuple_index) == e);
    }
    alike_.resize(body_.instructions.size());
    for (size_t k = 0; k < alike_.size(); ++k) {
      if (is_element(k))
        alike_[k] = unchanged_[static_cast<size_t>(at(k).tuple_index)];
      else
        alike_[k] =
            k != loop_.parameter && is_array_of_its_operands(at(k)) &&
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
      const bool stays = !is_array_of_its_operands(at(k)) && loop_role(at(k)) != LoopRole::element;
      if (!read[k] && !stays) continue;
      carried_[k] = alike_[k] && (is_worth_carrying(at(k)) || is_widened(k));
      if (carried_[k]) continue;
      const bool passes_on = k == index_of(body_.root);
      if (is_element(k)) element_read[static_cast<size_t>(at(k).tuple_index)] = true;
      for (size_t n = 0; n < at(k).operands.size(); ++n)
        if (!passes_on || !unchanged_[n]) read[index_of(at(k).operands[n])] = true;
    }
    const Computation& condition = program_.computations[loop_.condition];
    for (const Instruction& i : condition.instructions)
      if (loop_role(i) == LoopRole::element && loop_role(condition.at(i.operands[0])) == LoopRole::state)
        element_read[static_cast<size_t>(i.tuple_index)] = true;
    for (size_t e = 0; e < loop_.elements; ++e)
      unread_.push_back(unchanged_[e] && !element_read[e] && !is_number(e));
  }
  bool is_widened(size_t k) const {
    return loop_role(at(k)) == LoopRole::spread && at(k).shape.type == ElementType::f32 &&
           widened_.contains(at(k).name);
  }
  bool is_number(size_t element) const {
    return (*body_.instructions[loop_.parameter].shape.elements)[element].rank() == 0;
  }

  std::vector<InstructionId> state_in_front(const Computation& caller, ComputationRewrite& to,
                                            FreshNames& fresh) {
    const Instruction& old = caller.instructions[loop_.at];
    const InstructionId state = to.at(old.operands[0]);
    const Instruction tuple = to.made(state);
    for (size_t e = 0; e < loop_.elements; ++e)
      before_.push_back(loop_role(tuple) == LoopRole::tuple
                            ? tuple.operands[e]
                            : to.add(tuple_element(fresh(old.name + ".before"), old.shape, state, e)));
    return before_;
  }

  // What is carried, and what that is made of, once.
  std::vector<InstructionId> moved_in_front(const std::vector<InstructionId>& state, ComputationRewrite& to,
                                            FreshNames& fresh) const {
    std::vector<bool> wanted = carried_;
    for (size_t k = wanted.size(); k-- > 0;)
      if (wanted[k] && !is_element(k))
        for (const InstructionId id : at(k).operands) wanted[index_of(id)] = true;
    std::map<size_t, InstructionId> made;
    std::vector<InstructionId> out;
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k]) continue;
      if (is_element(k)) {
        made[k] = state[static_cast<size_t>(at(k).tuple_index)];
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

  static void reshape_state(Computation& called, const Shape& shape) {
    for (Instruction& i : called.instructions)
      if (loop_role(i) == LoopRole::state) {
        i.shape = shape;
        forget_sharding(i);
      }
  }

  void write_body(const Shape& shape, FreshNames& fresh) {
    const Computation before = std::move(program_.computations[loop_.body]);
    ComputationRewrite to(before);
    std::vector<InstructionId> more;
    const auto element = [&](size_t n) {
      return to.add(tuple_element(fresh(before.name + ".alike"), shape,
                                  to.at(InstructionId(static_cast<int64_t>(loop_.parameter))), n));
    };
    Instruction parameter = before.instructions[loop_.parameter];
    parameter.shape = shape;
    forget_sharding(parameter);
    to.copy(loop_.parameter, std::move(parameter));
    for (size_t k = 0; k < before.instructions.size(); ++k) {
      if (k == loop_.parameter) continue;
      if (carried_[k]) {
        more.push_back(element(loop_.elements + more.size()));
        to.stand_for(k, more.back());
      } else if (InstructionId(static_cast<int64_t>(k)) != before.root) {
        to.copy(k);
      }
    }
    std::vector<InstructionId> next;
    for (size_t e = 0; e < loop_.elements; ++e)
      next.push_back(unread_[e] ? element(e) : to.at(before.root_instruction().operands[e]));
    next.insert(next.end(), more.begin(), more.end());
    Instruction root = before.root_instruction();
    root.operands = std::move(next);
    root.shape = shape;
    forget_sharding(root);
    const InstructionId written = to.add(std::move(root));
    program_.computations[loop_.body] = std::move(to).finish(written);
    drop_unread(program_.computations[loop_.body]);
  }

  Program& program_;
  const Loop loop_;
  const std::set<std::string>& widened_;
  const Computation body_;                // as it was
  std::vector<bool> unchanged_, unread_;  // by element: each round passes it on; nobody reads it there
  std::vector<bool> alike_, carried_;     // by place of the body: the same each round; from now on an element
  std::vector<InstructionId> before_;     // the state in front of the loop
};

// A loop over a tuple of arrays that nobody else runs, read element by element.
bool loop_at(const Program& program, const std::vector<int64_t>& calls, size_t caller, size_t k, Loop& out) {
  const Computation& c = program.computations[caller];
  const Instruction& i = c.instructions[k];
  if (loop_role(i) != LoopRole::loop || !i.shape.is_tuple || static_cast<int64_t>(k) == c.root.value)
    return false;
  out = {caller, k, 0, 0, 0, i.shape.elements->size()};
  for (const CalledComputation& called : *i.called)
    (std::string_view(*called.key) == "body" ? out.body : out.condition) = index_of(called.computation);
  if (calls[out.body] != 1 || calls[out.condition] != 1 || out.body == out.condition) return false;
  const Computation& body = program.computations[out.body];
  if (loop_role(body.root_instruction()) != LoopRole::tuple) return false;
  const auto reads_elements = [](const Computation& of, size_t tuple) {
    return std::ranges::all_of(of.instructions, [&](const Instruction& reader) {
      return loop_role(reader) == LoopRole::element ||
             std::ranges::find(reader.operands, InstructionId(static_cast<int64_t>(tuple))) ==
                 reader.operands.end();
    });
  };
  const auto parameter = [](const Computation& of) {
    const auto at = std::ranges::find(of.instructions, Opcode::parameter, &Instruction::opcode);
    return static_cast<size_t>(at - of.instructions.begin());
  };
  const Computation& condition = program.computations[out.condition];
  out.parameter = parameter(body);
  const size_t looked_at = parameter(condition);
  return out.parameter < body.instructions.size() && looked_at < condition.instructions.size() &&
         std::ranges::none_of(*i.shape.elements, [](const Shape& s) { return s.is_tuple; }) &&
         reads_elements(c, k) && reads_elements(body, out.parameter) && reads_elements(condition, looked_at);
}

}  // namespace

void compute_once_for_all_rounds(Program& program, const std::set<std::string>& widened, FreshNames& fresh,
                                 const std::stop_token& stop) {
  const std::vector<bool> runs = executed_computations(program);
  const std::vector<int64_t> calls = calls_of_each(program);
  for (size_t c = 0; c < program.computations.size(); ++c) {
    if (!runs[c]) continue;
    std::vector<std::string> loops;
    for (const Instruction& i : program.computations[c].instructions)
      if (loop_role(i) == LoopRole::loop) loops.push_back(i.name);
    for (const std::string& name : loops) {
      if (stop.stop_requested()) return;
      const auto& all = program.computations[c].instructions;
      const auto at = std::ranges::find(all, name, &Instruction::name);
      Loop loop;
      if (at == all.end() || !loop_at(program, calls, c, static_cast<size_t>(at - all.begin()), loop))
        continue;
      Rounds rounds(program, loop, widened);
      if (rounds.changes()) rounds.write(fresh);
    }
  }
}

}  // namespace shardscope::inline backend
