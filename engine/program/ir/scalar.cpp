// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/scalar.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {
namespace {

using Scalar = std::optional<int64_t>;

// `value` modulo the type's range.
int64_t wrap(ElementType type, uint64_t value) {
  if (type == ElementType::pred) return value != 0;
  const int64_t width = bits(type);
  if (width >= 64) return static_cast<int64_t>(value);
  const uint64_t mask = (uint64_t{1} << width) - 1;
  value &= mask;
  if (is_signed(type) && (value >> (width - 1)) != 0) value |= ~mask;
  return static_cast<int64_t>(value);
}

bool holds(CompareDirection direction, int64_t a, int64_t b) {
  // By the comparison's place in its enumeration: eq, ne, lt, le, gt, ge.
  const bool truths[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  return truths[static_cast<size_t>(direction)];
}

bool divisible(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == INT64_MIN);
}

// What one instruction is made of: its operands' values, each known where a rule is asked.
struct ScalarCase {
  const Computation& computation;
  const Instruction& instruction;
  DeviceId device;
  const std::vector<Scalar>& values;

  Scalar operand(size_t k) const { return values[static_cast<size_t>(instruction.operands[k].value)]; }
  int64_t at(size_t k) const { return *operand(k); }
  uint64_t bits(size_t k) const { return static_cast<uint64_t>(at(k)); }
  int64_t wrapped(uint64_t value) const { return wrap(instruction.shape.type, value); }
};

// An entry of a constant table picked by dynamic-slice.
Scalar table_entry(const ScalarCase& c) {
  const Computation& computation = c.computation;
  const Instruction& slice = c.instruction;
  const Instruction& table = computation.at(slice.operands[0]);
  if (table.literal.empty() || table.shape.rank() != 1 || slice.operands.size() != 2) return std::nullopt;
  const Scalar start = c.operand(1);
  const auto numbers = integer_literal(table.literal);
  if (!start || !numbers || numbers->empty()) return std::nullopt;
  return (*numbers)[static_cast<size_t>(
      std::clamp<int64_t>(*start, 0, static_cast<int64_t>(numbers->size()) - 1))];
}

Scalar literal_entry(const ScalarCase& c) {
  const auto numbers = integer_literal(c.instruction.literal);
  return numbers && numbers->size() == 1 ? Scalar(numbers->front()) : std::nullopt;
}

// A value of one element in another shape or type.
Scalar same_value(const ScalarCase& c) {
  return c.wrapped(c.bits(0));
}

using ScalarRule = Scalar (*)(const ScalarCase&);

// Rules that look at their operands themselves.
const OpTable<ScalarRule>& lazy_rules() {
  static const OpTable<ScalarRule> rules(
      {}, {{Opcode::partition_id, [](const ScalarCase& c) { return Scalar(c.device.value); }},
           {Opcode::replica_id, [](const ScalarCase&) { return Scalar(0); }},
           {Opcode::constant, &literal_entry},
           {Opcode::dynamic_slice, &table_entry},
           {Opcode::select,
            [](const ScalarCase& c) { return c.operand(0) ? c.operand(c.at(0) != 0 ? 1 : 2) : Scalar(); }}});
  return rules;
}

// Rules of known operands.
const OpTable<ScalarRule>& arithmetic_rules() {
  using C = const ScalarCase&;
  static const OpTable<ScalarRule> rules(
      {},
      {{Opcode::convert, &same_value},
       {Opcode::copy, &same_value},
       {Opcode::reshape, &same_value},
       {Opcode::transpose, &same_value},
       {Opcode::broadcast, &same_value},
       {Opcode::optimization_barrier, &same_value},
       {Opcode::negate, [](C c) { return Scalar(c.wrapped(uint64_t{0} - c.bits(0))); }},
       {Opcode::not_,
        [](C c) {
          const bool truth = c.instruction.shape.type == ElementType::pred;
          return Scalar(c.wrapped(truth ? uint64_t{c.at(0) == 0} : ~c.bits(0)));
        }},
       {Opcode::abs, [](C c) { return Scalar(c.at(0) < 0 ? c.wrapped(uint64_t{0} - c.bits(0)) : c.at(0)); }},
       {Opcode::sign, [](C c) { return Scalar(int64_t{c.at(0) > 0} - int64_t{c.at(0) < 0}); }},
       {Opcode::add, [](C c) { return Scalar(c.wrapped(c.bits(0) + c.bits(1))); }},
       {Opcode::subtract, [](C c) { return Scalar(c.wrapped(c.bits(0) - c.bits(1))); }},
       {Opcode::multiply, [](C c) { return Scalar(c.wrapped(c.bits(0) * c.bits(1))); }},
       {Opcode::divide,
        [](C c) {
          return divisible(c.at(0), c.at(1)) ? Scalar(c.wrapped(static_cast<uint64_t>(c.at(0) / c.at(1))))
                                             : Scalar();
        }},
       {Opcode::remainder,
        [](C c) {
          return divisible(c.at(0), c.at(1)) ? Scalar(c.wrapped(static_cast<uint64_t>(c.at(0) % c.at(1))))
                                             : Scalar();
        }},
       {Opcode::maximum, [](C c) { return Scalar(std::max(c.at(0), c.at(1))); }},
       {Opcode::minimum, [](C c) { return Scalar(std::min(c.at(0), c.at(1))); }},
       {Opcode::and_, [](C c) { return Scalar(c.wrapped(c.bits(0) & c.bits(1))); }},
       {Opcode::or_, [](C c) { return Scalar(c.wrapped(c.bits(0) | c.bits(1))); }},
       {Opcode::xor_, [](C c) { return Scalar(c.wrapped(c.bits(0) ^ c.bits(1))); }},
       {Opcode::compare, [](C c) { return Scalar(holds(comparison(c.instruction), c.at(0), c.at(1))); }},
       {Opcode::clamp, [](C c) { return Scalar(std::min(std::max(c.at(1), c.at(0)), c.at(2))); }}});
  return rules;
}

bool has_arity(const Instruction& i) {
  const auto count = static_cast<int>(i.operands.size());
  const Operation& o = operation(i.opcode);
  return count >= o.fewest_operands && count <= o.most_operands;
}

Scalar evaluate_scalar(const ScalarCase& c) {
  if (!has_arity(c.instruction)) return std::nullopt;
  if (const ScalarRule rule = lazy_rules()[c.instruction.opcode]) return rule(c);
  const ScalarRule rule = arithmetic_rules()[c.instruction.opcode];
  if (rule == nullptr) return std::nullopt;
  for (size_t k = 0; k < c.instruction.operands.size(); ++k)
    if (!c.operand(k)) return std::nullopt;
  return rule(c);
}

}  // namespace

std::optional<std::vector<int64_t>> integer_literal(std::string_view literal) {
  constexpr std::string_view kBetween = " \t\r\n{},";
  std::vector<int64_t> numbers;
  while (!literal.empty()) {
    if (kBetween.find(literal.front()) != std::string_view::npos) {
      literal.remove_prefix(1);
      continue;
    }
    if (literal.substr(0, 2) == "/*") {  // XLA counts the entries of long literals
      literal.remove_prefix(std::min(literal.find("*/"), literal.size() - 2) + 2);
      continue;
    }
    const std::string_view word = literal.substr(0, literal.find_first_of(" \t\r\n{},/"));
    const bool truth = word == "true" || word == "false";
    const auto number = truth ? std::optional<int64_t>(word == "true") : parse_int(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    literal.remove_prefix(word.size());
  }
  return numbers;
}

std::vector<std::optional<int64_t>> evaluate_scalars(const Computation& computation, DeviceId device,
                                                     const std::vector<std::optional<int64_t>>& arguments) {
  std::vector<Scalar> values(computation.instructions.size());
  for (size_t k = 0; k < values.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    const bool whole = is_integer(i.shape.type) || i.shape.type == ElementType::pred;
    if (i.shape.is_tuple || !whole || i.shape.element_count() != 1) continue;
    const auto number = static_cast<size_t>(i.parameter_number);
    if (number < arguments.size())
      values[k] = arguments[number];
    else
      values[k] = evaluate_scalar({computation, i, device, values});
  }
  return values;
}

}  // namespace shardscope::inline program
