// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/scalar.h"

#include <algorithm>

#include "engine/program/ir/hlo_lexer.h"

namespace shardscope {
namespace {

using Scalar = std::optional<int64_t>;

bool is_unsigned(ElementType type) {
  return type == ElementType::pred || type == ElementType::u4 || type == ElementType::u8 ||
         type == ElementType::u16 || type == ElementType::u32 || type == ElementType::u64;
}

// `value` modulo the type's range.
int64_t wrap(ElementType type, uint64_t value) {
  if (type == ElementType::pred) return value != 0;
  const int64_t width = bits(type);
  if (width >= 64) return static_cast<int64_t>(value);
  const uint64_t mask = (uint64_t{1} << width) - 1;
  value &= mask;
  if (!is_unsigned(type) && (value >> (width - 1)) != 0) value |= ~mask;
  return static_cast<int64_t>(value);
}

Scalar compare_scalars(std::string_view direction, int64_t a, int64_t b) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return a < b;
  if (direction == "LE") return a <= b;
  if (direction == "GT") return a > b;
  if (direction == "GE") return a >= b;
  return std::nullopt;
}

Scalar binary_scalar(const Instruction& i, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a);
  const auto ub = static_cast<uint64_t>(b);
  const ElementType type = i.shape.type;
  const bool divisible = b != 0 && !(b == -1 && a == INT64_MIN);
  switch (i.opcode) {
    case Opcode::add:
      return wrap(type, ua + ub);
    case Opcode::subtract:
      return wrap(type, ua - ub);
    case Opcode::multiply:
      return wrap(type, ua * ub);
    case Opcode::divide:
      return divisible ? Scalar(wrap(type, static_cast<uint64_t>(a / b))) : std::nullopt;
    case Opcode::remainder:
      return divisible ? Scalar(wrap(type, static_cast<uint64_t>(a % b))) : std::nullopt;
    case Opcode::maximum:
      return std::max(a, b);
    case Opcode::minimum:
      return std::min(a, b);
    case Opcode::and_:
      return wrap(type, ua & ub);
    case Opcode::or_:
      return wrap(type, ua | ub);
    case Opcode::xor_:
      return wrap(type, ua ^ ub);
    case Opcode::compare:
      return compare_scalars(i.direction, a, b);
    default:
      return std::nullopt;
  }
}

Scalar unary_scalar(const Instruction& i, int64_t a) {
  const ElementType type = i.shape.type;
  const auto ua = static_cast<uint64_t>(a);
  switch (i.opcode) {
    case Opcode::convert:
    case Opcode::copy:
    case Opcode::reshape:
    case Opcode::transpose:
    case Opcode::broadcast:
    case Opcode::optimization_barrier:
      return wrap(type, ua);
    case Opcode::negate:
      return wrap(type, uint64_t{0} - ua);
    case Opcode::not_:
      return wrap(type, type == ElementType::pred ? uint64_t{a == 0} : ~ua);
    case Opcode::abs:
      return a < 0 ? wrap(type, uint64_t{0} - ua) : a;
    case Opcode::sign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    default:
      return std::nullopt;
  }
}

Scalar table_entry(const Computation& computation, const Instruction& slice,
                   const std::vector<Scalar>& values) {
  const Instruction& table = computation.at(slice.operands[0]);
  if (table.opcode != Opcode::constant || table.shape.rank() != 1 || slice.operands.size() != 2)
    return std::nullopt;
  const Scalar start = values[static_cast<size_t>(slice.operands[1].value)];
  const auto numbers = integer_literal(table.literal);
  if (!start || !numbers || numbers->empty()) return std::nullopt;
  return (*numbers)[static_cast<size_t>(
      std::clamp<int64_t>(*start, 0, static_cast<int64_t>(numbers->size()) - 1))];
}

Scalar evaluate_scalar(const Computation& computation, const Instruction& i, DeviceId device,
                       const std::vector<Scalar>& values) {
  const auto operand = [&](size_t k) { return values[static_cast<size_t>(i.operands[k].value)]; };
  switch (i.opcode) {
    case Opcode::partition_id:
      return device.value;
    case Opcode::replica_id:
      return 0;
    case Opcode::constant: {
      const auto numbers = integer_literal(i.literal);
      return numbers && numbers->size() == 1 ? Scalar(numbers->front()) : std::nullopt;
    }
    case Opcode::dynamic_slice:
      return table_entry(computation, i, values);
    case Opcode::select:
      if (i.operands.size() != 3 || !operand(0)) return std::nullopt;
      return *operand(0) ? operand(1) : operand(2);
    case Opcode::clamp:
      if (i.operands.size() != 3 || !operand(0) || !operand(1) || !operand(2)) return std::nullopt;
      return std::min(std::max(*operand(1), *operand(0)), *operand(2));
    default:
      break;
  }
  if (i.operands.size() == 1 && operand(0)) return unary_scalar(i, *operand(0));
  if (i.operands.size() == 2 && operand(0) && operand(1)) return binary_scalar(i, *operand(0), *operand(1));
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<int64_t>> integer_literal(std::string_view literal) {
  HloLexer lexer(literal, "literal");
  std::vector<int64_t> numbers;
  while (!lexer.at_end()) {
    if (lexer.accept("{") || lexer.accept("}") || lexer.accept(",")) continue;
    if (const auto number = lexer.integer()) {
      numbers.push_back(*number);
      const char next = lexer.peek();
      if (next != ',' && next != '}' && next != '\0') return std::nullopt;
      continue;
    }
    const std::string_view word = lexer.word();
    if (word != "true" && word != "false") return std::nullopt;
    numbers.push_back(word == "true");
  }
  return numbers;
}

std::vector<std::optional<int64_t>> evaluate_scalars(const Computation& computation, DeviceId device) {
  std::vector<Scalar> values(computation.instructions.size());
  for (size_t k = 0; k < values.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    const bool whole = is_integer(i.shape.type) || i.shape.type == ElementType::pred;
    if (i.shape.is_tuple || !whole || i.shape.element_count() != 1) continue;
    values[k] = evaluate_scalar(computation, i, device, values);
  }
  return values;
}

}  // namespace shardscope
