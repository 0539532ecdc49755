// SPDX-License-Identifier: Apache-2.0
#include "engine/program/rules/shape_rules.h"

#include <algorithm>

#include "engine/base/units.h"

namespace shardscope::inline program {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 50;

std::string opcode_name(const Instruction& i) {
  return std::string(opcode_text(i));
}

}  // namespace

Error InstructionCheck::error(const std::string& rule) const {
  return invalid(opcode_name(instruction) + " '" + instruction.name + "': " + rule,
                 "computation " + computation.name);
}

Result<void> InstructionCheck::operands(size_t count) const {
  if (operand_count() == count) return {};
  return error("got " + std::to_string(operand_count()) + " operands, expected " + std::to_string(count));
}

const Computation* InstructionCheck::callee(std::string_view key) const {
  for (const CalledComputation& called : instruction.called)
    if (called.key == key) return &program.computation(called.computation);
  return nullptr;
}

Result<void> InstructionCheck::arity() const {
  const Operation& o = operation(instruction.opcode);
  const auto count = static_cast<int>(operand_count());
  if (count >= o.fewest_operands && count <= o.most_operands) return {};
  return error("got " + std::to_string(count) + " operands, expected " +
               (o.fewest_operands == o.most_operands ? "" : "at least ") + std::to_string(o.fewest_operands));
}

Result<void> InstructionCheck::array_operands() const {
  for (size_t k = 0; k < operand_count(); ++k)
    if (operand(k).is_tuple) return error("operand " + std::to_string(k) + " is a tuple, expected an array");
  return {};
}

bool InstructionCheck::same_type(ElementType a, ElementType b) const {
  return a == b || (scheduled && is_floating(a) && is_floating(b));
}

bool InstructionCheck::same_shape(const Shape& a, const Shape& b) const {
  if (!scheduled || a.is_tuple != b.is_tuple) return program::same_shape(a, b);
  if (!a.is_tuple) return a.is_buffer == b.is_buffer && same_type(a.type, b.type) && a.dims == b.dims;
  return std::ranges::equal(*a.elements, *b.elements,
                            [&](const Shape& x, const Shape& y) { return same_shape(x, y); });
}

bool same_shape(const Shape& a, const Shape& b) {
  if (a.is_tuple != b.is_tuple || a.is_buffer != b.is_buffer) return false;
  if (!a.is_tuple) return a.type == b.type && a.dims == b.dims;
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), same_shape);
}

bool is_sound(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape.dims) {
    if (size < 0) return false;
    const auto product = checked_multiply(elements, size > 0 ? size : 1);
    if (!product || *product > kMaxElements) return false;
    elements = *product;
  }
  return std::all_of(shape.elements.begin(), shape.elements.end(), is_sound);
}

bool is_integer_scalar(const Shape& shape) {
  return !shape.is_tuple && shape.dims.empty() && is_integer(shape.type);
}

Result<void> InstructionCheck::shape_is(const Shape& expected) const {
  if (inferred != nullptr) {
    *inferred = expected;
    return {};
  }
  if (same_shape(instruction.shape, expected)) return {};
  return error("shape " + instruction.shape.text() + ", expected " + expected.text());
}

Result<void> InstructionCheck::dimension(int64_t dimension, size_t rank) const {
  if (dimension >= 0 && dimension < static_cast<int64_t>(rank)) return {};
  return error("dimension " + std::to_string(dimension) + ", expected one of an array of rank " +
               std::to_string(rank));
}

namespace {

// Operand `k` is an array like `value`.
Result<void> check_like(const InstructionCheck& c, size_t k, const Shape& value) {
  const Shape& operand = c.operand(k);
  if (operand.dims != value.dims)
    return c.error("operand " + std::to_string(k) + " is " + operand.text() +
                   ", expected the dimensions of " + value.text());
  if (!c.same_type(operand.type, value.type))
    return c.error("operand " + std::to_string(k) + " is " + operand.text() + ", expected elements " +
                   name(value.type));
  return {};
}

// The same where a scalar may stand for a whole array.
Result<void> check_like_or_scalar(const InstructionCheck& c, size_t k, const Shape& value) {
  return check_like(c, k, c.operand(k).dims.empty() ? Shape::scalar(value.type) : value);
}

// All operands are arrays like the first, the result has their dimensions and elements of `type`.
Result<void> check_element_by_element(const InstructionCheck& c, ElementType type) {
  for (size_t k = 1; k < c.operand_count(); ++k) TRY_VOID(check_like(c, k, c.operand(0)));
  return c.shape_is(Shape::array(type, c.operand(0).dims));
}

}  // namespace

Result<void> check_elementwise(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  return check_element_by_element(c, c.operand(0).type);
}

// Complex numbers in parts: what is made of one is real.
Result<void> check_part(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  return check_element_by_element(c, real_type(c.operand(0).type));
}

Result<void> check_complex(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const ElementType part = c.operand(0).type;
  if (part != ElementType::f32 && part != ElementType::f64)
    return c.error("operand 0 is " + c.operand(0).text() + ", expected elements f32 or f64");
  return check_element_by_element(c, part == ElementType::f32 ? ElementType::c64 : ElementType::c128);
}

Result<void> check_compare(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  if (!std::holds_alternative<CompareDirection>(*c.instruction.attributes))
    return c.error("needs a direction: EQ, NE, LT, LE, GT or GE");
  return check_element_by_element(c, ElementType::pred);
}

Result<void> check_reduce_precision(const InstructionCheck& c) {
  const auto* left = std::get_if<Precision>(&*c.instruction.attributes);
  if (left == nullptr || left->exponent_bits < 1 || left->mantissa_bits < 0)
    return c.error("needs exponent_bits from 1 and mantissa_bits");
  return check_elementwise(c);
}

Result<void> check_is_finite(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  return check_element_by_element(c, ElementType::pred);
}

Result<void> check_convert(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const ElementType from = c.operand(0).type, to = c.instruction.shape.type;
  if (is_complex(from) && !is_complex(to))
    return c.error("operand 0 is " + c.operand(0).text() + ", expected real elements for " + name(to) +
                   ": take real or imag first");
  return check_element_by_element(c, to);
}

Result<void> check_select(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& value = c.operand(1);
  TRY_VOID(check_like_or_scalar(c, 0, Shape::array(ElementType::pred, value.dims)));
  TRY_VOID(check_like(c, 2, value));
  return c.shape_is(Shape::array(value.type, value.dims));
}

Result<void> check_clamp(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& value = c.operand(1);
  TRY_VOID(check_like_or_scalar(c, 0, value));
  TRY_VOID(check_like_or_scalar(c, 2, value));
  return c.shape_is(Shape::array(value.type, value.dims));
}

Result<void> check_as_written(const InstructionCheck&) {
  return {};
}

Result<void> check_iota(const InstructionCheck& c) {
  if (c.instruction.shape.is_tuple)
    return c.error("shape " + c.instruction.shape.text() + ", expected an array");
  if (c.instruction.dimensions.size() != 1) return c.error("needs one iota_dimension");
  return c.dimension(c.instruction.dimensions[0], c.instruction.shape.rank());
}

Result<void> check_place(const InstructionCheck& c) {
  if (is_integer_scalar(c.instruction.shape)) return {};
  return c.error("shape " + c.instruction.shape.text() + ", expected u32[]");
}

Result<void> check_tuple(const InstructionCheck& c) {
  std::vector<Shape> elements;
  for (size_t k = 0; k < c.operand_count(); ++k) elements.push_back(c.operand(k));
  return c.shape_is(Shape::tuple(std::move(elements)));
}

Result<void> check_tuple_element(const InstructionCheck& c) {
  const Shape& tuple = c.operand(0);
  const int64_t index = c.instruction.tuple_index;
  if (!tuple.is_tuple) return c.error("operand is " + tuple.text() + ", expected a tuple");
  if (index < 0 || index >= static_cast<int64_t>(tuple.elements.size()))
    return c.error("index " + std::to_string(index) + " of a tuple of " +
                   std::to_string(tuple.elements.size()));
  return c.shape_is(tuple.elements[static_cast<size_t>(index)]);
}

Result<void> check_like_operand(const InstructionCheck& c) {
  return c.shape_is(c.operand(0));
}

}  // namespace shardscope::inline program
