// SPDX-License-Identifier: Apache-2.0
// Loops that stay loops: a `while` whose tuple holds the number of the round, then the values.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/program/build/builder_state.h"

namespace shardscope::inline program {
namespace {

Instruction operation_on(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  return instruction;
}

Instruction only_parameter(const Shape& shape) {
  Instruction parameter = operation_on(Opcode::parameter, shape, {});
  parameter.parameter_number = 0;
  return parameter;
}

Instruction element(const Shape& tuple, InstructionId of, size_t place) {
  Instruction out = operation_on(Opcode::get_tuple_element, (*tuple.elements)[place], {of});
  out.tuple_index = static_cast<int64_t>(place);
  return out;
}

}  // namespace

void SpmdBuilder::keep_loops(int64_t fewest_rounds) {
  state_->fewest_rounds = fewest_rounds;
}

bool SpmdBuilder::keeps_loop(int64_t rounds) const {
  return state_->fewest_rounds && rounds >= *state_->fewest_rounds;
}

void SpmdBuilder::sketch() {
  state_->is_sketch = true;
}

bool SpmdBuilder::is_sketch() const {
  return state_->is_sketch;
}

std::vector<double> SpmdBuilder::times() const {
  std::vector<double> out;
  if (state_->repeated.empty()) return out;
  out.resize(state_->written, 1);
  for (const State::Repeated& r : state_->repeated)
    std::fill(out.begin() + std::ptrdiff_t(r.begin), out.begin() + std::ptrdiff_t(r.end),
              static_cast<double>(r.times));
  return out;
}

void SpmdBuilder::rounds(int64_t first, int64_t last, const std::function<void(int64_t round)>& write) {
  const int64_t third = first + 2, alike = last - third;
  const bool in_short = state_->is_sketch && keeps_loop(alike) && alike > 3;
  for (int64_t r = first; r < last && ok(); ++r) {
    const size_t begin = state_->entry.instructions.size();
    write(r);
    if (!in_short || r != third + 1) continue;
    state_->repeated.push_back({begin, state_->entry.instructions.size(), alike - 2});
    r = last - 2;
  }
}

Value SpmdBuilder::done(Value v) {
  if (!ok() || v.builder_ == nullptr || shape_of(v).type == ElementType::token) return v;
  return emit(operation_on(Opcode::after_all, Shape::scalar(ElementType::token), {v.id_}));
}

std::vector<Value> SpmdBuilder::elements(Value tuple) {
  const Shape shape = shape_of(tuple);
  std::vector<Value> out;
  for (size_t i = 0; i < shape.elements->size(); ++i) out.push_back(emit(element(shape, tuple.id_, i)));
  return out;
}

// The loop goes on while its round, the first of `values`, is below `rounds`.
ComputationId SpmdBuilder::fewer_rounds_than(int64_t rounds, const Shape& values) {
  Computation c;
  c.name = state_->unique_name("condition");
  const auto add = [&](Instruction i) {
    i.name = state_->unique_name(std::string(opcode_text(i.opcode)));
    c.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(c.instructions.size()) - 1);
  };
  const InstructionId round = add(element(values, add(only_parameter(values)), 0));
  Instruction bound = operation_on(Opcode::constant, Shape::scalar(ElementType::s32), {});
  bound.literal = std::to_string(rounds);
  const InstructionId most = add(std::move(bound));
  Instruction below = operation_on(Opcode::compare, Shape::scalar(ElementType::pred), {round, most});
  below.attributes = Attributes(CompareDirection::lt);
  c.root = add(std::move(below));
  state_->called.push_back(std::move(c));
  return ComputationId(static_cast<int64_t>(state_->called.size()) - 1);
}

// The body of a loop over a tuple of `shape`, written while it is what is written.
Computation SpmdBuilder::body_of(int64_t rounds, const Shape& shape, const std::vector<std::string>& symbols,
                                 const Round& round) {
  State& s = *state_;
  const Provenance provenance = s.provenance;
  Computation outside = std::exchange(s.entry, Computation());
  auto known = std::exchange(s.known, {});
  auto scalars = std::exchange(s.scalars, {});
  auto ranges = std::exchange(s.ranges, {});
  auto after = std::exchange(s.after, {});
  const bool nested = std::exchange(s.in_loop, true);
  s.provenance = {};
  s.entry.name = s.unique_name("body");
  std::vector<Value> values = elements(emit(only_parameter(shape)));
  const Index number = ranged(values.front().id_, 0, rounds - 1);
  values.erase(values.begin());
  for (size_t i = 0; i < values.size(); ++i) named(values[i], symbols[i]);
  const bool waits = s.sum_of_step.valid();
  s.sum_of_step = waits ? values.back().id_ : InstructionId();
  if (waits) values.pop_back();
  s.provenance = provenance;
  std::vector<Value> made = round(number, std::move(values));
  s.provenance = {};
  if (waits) made.push_back(done({this, s.sum_of_step}));
  if (ok()) {
    std::vector<InstructionId> next{materialize(number + 1)};
    for (const Value v : made) next.push_back(v.id_);
    const Value root = tuple(std::move(next));
    CHECK(shape_of(root) == shape, "a round changes shapes", shape_of(root).text(), shape.text());
    s.entry.root = root.id_;
  }
  s.provenance = provenance;
  s.in_loop = nested;
  s.known = std::move(known);
  s.scalars = std::move(scalars);
  s.ranges = std::move(ranges);
  s.after = std::move(after);
  return std::exchange(s.entry, std::move(outside));
}

std::vector<Value> SpmdBuilder::repeat(int64_t rounds, std::vector<Value> values, const Round& round) {
  if (!ok() || rounds == 0) return values;
  if (state_->is_sketch) {  // steps are numbered from that of the first round, as those of the loop
    const int first = state_->first_step;
    this->rounds(0, rounds, [&](int64_t r) {
      state_->first_step = first + static_cast<int>(r);
      values = round(r, std::move(values));
    });
    state_->first_step = first;
    return values;
  }
  const Provenance provenance = std::exchange(state_->provenance, {});
  // The sum of the step before comes into the loop, and leaves it, with the values.
  const bool waits = state_->sum_of_step.valid();
  if (waits) values.push_back(done({this, state_->sum_of_step}));
  std::vector<InstructionId> first{scalar_constant(ElementType::s32, 0)};
  std::vector<std::string> symbols;
  for (const Value v : values) {
    first.push_back(v.id_);
    symbols.push_back(v.name());
  }
  const Value start = tuple(std::move(first));
  if (!ok()) return values;
  const Shape shape = shape_of(start);
  state_->provenance = provenance;
  Computation body = body_of(rounds, shape, symbols, round);
  if (!ok()) return values;
  constexpr int64_t kLastStep = std::numeric_limits<int>::max();
  state_->next_step = static_cast<int>(std::min(kLastStep, state_->next_step + rounds - 1));
  state_->provenance = {};
  Instruction loop = operation_on(Opcode::while_, shape, {start.id_});
  const ComputationId condition = fewer_rounds_than(rounds, shape);
  state_->called.push_back(std::move(body));
  loop.called = {{"condition", condition},
                 {"body", ComputationId(static_cast<int64_t>(state_->called.size()) - 1)}};
  loop.verbatim = {{"backend_config", "{\"known_trip_count\":{\"n\":\"" + std::to_string(rounds) + "\"}}"}};
  std::vector<Value> out = elements(emit(std::move(loop)));
  out.erase(out.begin());
  for (size_t i = 0; i < out.size(); ++i) named(out[i], symbols[i]);
  state_->sum_of_step = waits ? out.back().id_ : InstructionId();
  if (waits) out.pop_back();
  state_->provenance = provenance;
  return out;
}

}  // namespace shardscope::inline program
