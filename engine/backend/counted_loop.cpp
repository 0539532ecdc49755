// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/counted_loop.h"

#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/scalar.h"

namespace shardscope::inline backend {
namespace {

std::optional<int64_t> constant_of(const Computation& c, InstructionId id) {
  const Instruction& i = behind_copies(c, id);
  if (i.opcode != Opcode::constant || i.shape.rank() != 0) return std::nullopt;
  const auto numbers = integer_literal(i.literal);
  if (!numbers || numbers->size() != 1) return std::nullopt;
  return numbers->front();
}

struct Bound {
  size_t counter = 0;
  int64_t limit = 0;
};

std::optional<Bound> bound_of(const Computation& condition) {
  const Instruction& root = condition.root_instruction();
  if (root.opcode != Opcode::compare) return std::nullopt;
  const auto* direction = std::get_if<CompareDirection>(&*root.attributes);
  const auto counter = parameter_element(condition, behind_copies(condition, root.operands[0]));
  const auto limit = constant_of(condition, root.operands[1]);
  if (direction == nullptr || *direction != CompareDirection::lt || !counter || !limit) return std::nullopt;
  return Bound{*counter, *limit};
}

std::optional<int64_t> step_of(const Computation& body, size_t counter) {
  const auto made = element_in(body, body.root, counter);
  if (!made) return std::nullopt;
  const Instruction& next = behind_copies(body, *made);
  if (next.opcode != Opcode::add) return std::nullopt;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const auto step = constant_of(body, next.operands[1 - side]);
    if (parameter_element(body, behind_copies(body, next.operands[side])) == counter && step && *step > 0)
      return step;
  }
  return std::nullopt;
}

// What the element of a tuple is before the loop.
std::optional<int64_t> first_of(const Computation& caller, InstructionId state, size_t counter) {
  const auto before = element_in(caller, state, counter);
  if (!before) return std::nullopt;
  if (const auto known = constant_of(caller, *before)) return known;
  return evaluate_scalars(caller, DeviceId(0))[static_cast<size_t>(before->value)];
}

}  // namespace

std::optional<CountedLoop> counted_loop(const Program& program, const Computation& caller, size_t k) {
  const Instruction& loop = caller.instructions[k];
  if (loop.opcode != Opcode::while_ || !loop.shape.is_tuple) return std::nullopt;
  CountedLoop out;
  for (const CalledComputation& called : loop.called)
    (called.key == "condition" ? out.condition : out.body) = called.computation;
  if (!out.condition.valid() || !out.body.valid()) return std::nullopt;
  const auto bound = bound_of(program.computation(out.condition));
  if (!bound) return std::nullopt;
  const auto step = step_of(program.computation(out.body), bound->counter);
  const auto first = first_of(caller, loop.operands.front(), bound->counter);
  if (!step || !first) return std::nullopt;
  out.counter = bound->counter;
  out.first = *first;
  out.step = *step;
  out.rounds = *first >= bound->limit ? 0 : (bound->limit - *first + *step - 1) / *step;
  return out;
}

}  // namespace shardscope::inline backend
