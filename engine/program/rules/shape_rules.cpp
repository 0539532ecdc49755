// SPDX-License-Identifier: Apache-2.0
#include "engine/program/rules/shape_rules.h"

#include <algorithm>

#include "engine/program/analysis/analysis.h"

namespace shardscope {
namespace {

std::string opcode_name(const Instruction& i) {
  return i.opcode == Opcode::unknown ? i.opcode_name : std::string(opcode_text(i.opcode));
}

bool is_integer_scalar(const Shape& shape) {
  return !shape.is_tuple && shape.dims.empty() && is_integer(shape.type);
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

Result<void> InstructionCheck::array_operands() const {
  for (size_t k = 0; k < operand_count(); ++k)
    if (operand(k).is_tuple) return error("operand " + std::to_string(k) + " is a tuple, expected an array");
  return {};
}

bool same_shape(const Shape& a, const Shape& b) {
  if (a.is_tuple != b.is_tuple) return false;
  if (!a.is_tuple) return a.type == b.type && a.dims == b.dims;
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), same_shape);
}

Result<void> InstructionCheck::shape_is(const Shape& expected) const {
  if (same_shape(instruction.shape, expected)) return {};
  return error("shape " + instruction.shape.text() + ", expected " + expected.text());
}

Result<void> InstructionCheck::dimension(int64_t dimension, size_t rank) const {
  if (dimension >= 0 && dimension < static_cast<int64_t>(rank)) return {};
  return error("dimension " + std::to_string(dimension) + ", expected one of an array of rank " +
               std::to_string(rank));
}

namespace {

size_t arity(Opcode elementwise) {
  switch (elementwise) {
    case Opcode::select:
    case Opcode::clamp:
      return 3;
    case Opcode::compare:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::remainder:
    case Opcode::maximum:
    case Opcode::minimum:
    case Opcode::power:
    case Opcode::shift_left:
    case Opcode::shift_right_arithmetic:
    case Opcode::shift_right_logical:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

Result<void> check_elementwise(const InstructionCheck& c) {
  const Instruction& i = c.instruction;
  TRY_VOID(c.array_operands());
  TRY_VOID(c.operands(arity(i.opcode)));
  const bool chooses = i.opcode == Opcode::select;
  // select's predicate and clamp's bounds may be scalars.
  const Shape& value = c.operand(c.operand_count() == 1 || (!chooses && i.opcode != Opcode::clamp) ? 0 : 1);
  for (size_t k = 0; k < c.operand_count(); ++k) {
    const Shape& operand = c.operand(k);
    const bool may_be_scalar = (chooses && k == 0) || (i.opcode == Opcode::clamp && k != 1);
    if (operand.dims != value.dims && !(may_be_scalar && operand.dims.empty()))
      return c.error("operand " + std::to_string(k) + " is " + operand.text() +
                     ", expected the dimensions of " + value.text());
    const ElementType type = chooses && k == 0 ? ElementType::pred : value.type;
    if (operand.type != type)
      return c.error("operand " + std::to_string(k) + " is " + operand.text() + ", expected elements " +
                     name(type));
  }
  ElementType type = value.type;
  if (i.opcode == Opcode::compare || i.opcode == Opcode::is_finite) type = ElementType::pred;
  if (i.opcode == Opcode::convert) type = i.shape.type;
  if (i.opcode == Opcode::compare) {
    for (const std::string_view d : {"EQ", "NE", "LT", "LE", "GT", "GE"})
      if (i.direction == d) return c.shape_is(Shape::array(type, value.dims));
    return c.error("direction '" + i.direction + "', expected EQ, NE, LT, LE, GT or GE");
  }
  return c.shape_is(Shape::array(type, value.dims));
}

namespace {

Result<void> check_reshape(const InstructionCheck& c) {
  const Shape& from = c.operand(0);
  const Shape& to = c.instruction.shape;
  if (to.is_tuple) return c.error("shape " + to.text() + ", expected an array");
  if (c.instruction.opcode == Opcode::bitcast || c.instruction.opcode == Opcode::bitcast_convert) {
    if (from.bytes() == to.bytes()) return {};
    return c.error(to.text() + " has " + std::to_string(to.bytes()) + " bytes, expected " +
                   std::to_string(from.bytes()) + " as in " + from.text());
  }
  if (from.type == to.type && from.element_count() == to.element_count()) return {};
  return c.error("shape " + to.text() + ", expected " + std::to_string(from.element_count()) +
                 " elements as in " + from.text());
}

Result<void> check_transpose(const InstructionCheck& c) {
  const std::vector<int64_t>& dims = c.instruction.dimensions;
  const Shape& from = c.operand(0);
  std::vector<int64_t> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  Shape expected = Shape::array(from.type, {});
  for (size_t d = 0; d < sorted.size(); ++d)
    if (sorted[d] != static_cast<int64_t>(d)) return c.error("dimensions are no permutation");
  if (dims.size() != from.rank())
    return c.error(std::to_string(dims.size()) + " dimensions, expected " + std::to_string(from.rank()));
  for (const int64_t d : dims) expected.dims.push_back(from.dims[static_cast<size_t>(d)]);
  return c.shape_is(expected);
}

Result<void> check_broadcast(const InstructionCheck& c) {
  const Shape& from = c.operand(0);
  const Shape& to = c.instruction.shape;
  const std::vector<int64_t>& dims = c.instruction.dimensions;
  if (to.is_tuple || to.type != from.type)
    return c.error("shape " + to.text() + ", expected elements " + name(from.type));
  if (dims.size() != from.rank())
    return c.error(std::to_string(dims.size()) + " dimensions, expected " + std::to_string(from.rank()));
  for (size_t d = 0; d < dims.size(); ++d) {
    TRY_VOID(c.dimension(dims[d], to.rank()));
    if (d > 0 && dims[d] <= dims[d - 1]) return c.error("dimensions do not ascend");
    if (to.dims[static_cast<size_t>(dims[d])] != from.dims[d])
      return c.error("dimension " + std::to_string(dims[d]) + " of " + to.text() + ", expected size " +
                     std::to_string(from.dims[d]));
  }
  return {};
}

Result<void> check_slice(const InstructionCheck& c) {
  const Shape& from = c.operand(0);
  const std::vector<SliceDim>& slice = c.instruction.slice;
  if (slice.size() != from.rank())
    return c.error(std::to_string(slice.size()) + " ranges, expected " + std::to_string(from.rank()));
  Shape expected = Shape::array(from.type, {});
  for (size_t d = 0; d < slice.size(); ++d) {
    const auto& [start, limit, stride] = slice[d];
    if (start < 0 || limit < start || limit > from.dims[d] || stride < 1)
      return c.error("range " + std::to_string(start) + ":" + std::to_string(limit) + ":" +
                     std::to_string(stride) + " of dimension " + std::to_string(d) +
                     ", expected one within 0:" + std::to_string(from.dims[d]));
    expected.dims.push_back((limit - start + stride - 1) / stride);
  }
  return c.shape_is(expected);
}

// Scalar start indices, operands `first` and on, one per dimension.
Result<void> check_start_indices(const InstructionCheck& c, size_t first, size_t rank) {
  TRY_VOID(c.operands(first + rank));
  for (size_t k = first; k < c.operand_count(); ++k)
    if (!is_integer_scalar(c.operand(k)))
      return c.error("operand " + std::to_string(k) + " is " + c.operand(k).text() +
                     ", expected a scalar integer");
  return {};
}

Result<void> check_within(const InstructionCheck& c, const std::vector<int64_t>& sizes, const Shape& whole) {
  if (sizes.size() != whole.rank())
    return c.error(std::to_string(sizes.size()) + " sizes, expected " + std::to_string(whole.rank()));
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] < 0 || sizes[d] > whole.dims[d])
      return c.error("size " + std::to_string(sizes[d]) + " of dimension " + std::to_string(d) +
                     ", expected at most " + std::to_string(whole.dims[d]));
  return {};
}

Result<void> check_concatenate(const InstructionCheck& c) {
  const std::vector<int64_t>& dims = c.instruction.dimensions;
  if (dims.size() != 1) return c.error(std::to_string(dims.size()) + " dimensions, expected 1");
  Shape expected = Shape::array(c.operand(0).type, c.operand(0).dims);
  TRY_VOID(c.dimension(dims[0], expected.rank()));
  const auto along = static_cast<size_t>(dims[0]);
  expected.dims[along] = 0;
  for (size_t k = 0; k < c.operand_count(); ++k) {
    Shape other = Shape::array(c.operand(k).type, c.operand(k).dims);
    if (other.rank() != expected.rank() || other.type != expected.type)
      return c.error("operand " + std::to_string(k) + " is " + other.text() + ", unlike operand 0");
    const int64_t size = other.dims[along];
    other.dims[along] = expected.dims[along];
    if (other.dims != expected.dims)
      return c.error("operand " + std::to_string(k) + " differs from operand 0 outside of dimension " +
                     std::to_string(dims[0]));
    expected.dims[along] += size;
  }
  return c.shape_is(expected);
}

Result<void> check_tuple(const InstructionCheck& c) {
  if (c.instruction.opcode == Opcode::tuple) {
    std::vector<Shape> elements;
    for (size_t k = 0; k < c.operand_count(); ++k) elements.push_back(c.operand(k));
    return c.shape_is(Shape::tuple(std::move(elements)));
  }
  TRY_VOID(c.operands(1));
  const Shape& tuple = c.operand(0);
  const int64_t index = c.instruction.tuple_index;
  if (!tuple.is_tuple) return c.error("operand is " + tuple.text() + ", expected a tuple");
  if (index < 0 || index >= static_cast<int64_t>(tuple.elements.size()))
    return c.error("index " + std::to_string(index) + " of a tuple of " +
                   std::to_string(tuple.elements.size()));
  return c.shape_is(tuple.elements[static_cast<size_t>(index)]);
}

Result<void> check_source(const InstructionCheck& c) {
  const Instruction& i = c.instruction;
  TRY_VOID(c.operands(0));
  if (i.opcode == Opcode::iota && !i.shape.is_tuple) {
    if (i.dimensions.size() != 1) return c.error("needs one iota_dimension");
    return c.dimension(i.dimensions[0], i.shape.rank());
  }
  if ((i.opcode == Opcode::partition_id || i.opcode == Opcode::replica_id) && !is_integer_scalar(i.shape))
    return c.error("shape " + i.shape.text() + ", expected u32[]");
  return {};
}

}  // namespace

Result<void> check_data_movement(const InstructionCheck& c) {
  switch (c.instruction.opcode) {
    case Opcode::tuple:
    case Opcode::get_tuple_element:
      return check_tuple(c);
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::iota:
    case Opcode::partition_id:
    case Opcode::replica_id:
      return check_source(c);
    case Opcode::copy:
      TRY_VOID(c.operands(1));
      return c.shape_is(c.operand(0));
    default:
      break;
  }
  if (c.operand_count() == 0) return c.error("no operands, expected some");
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  switch (c.instruction.opcode) {
    case Opcode::dynamic_slice:
      TRY_VOID(check_start_indices(c, 1, from.rank()));
      TRY_VOID(check_within(c, c.instruction.dynamic_slice_sizes, from));
      return c.shape_is(Shape::array(from.type, c.instruction.dynamic_slice_sizes));
    case Opcode::dynamic_update_slice:
      TRY_VOID(check_start_indices(c, 2, from.rank()));
      TRY_VOID(check_within(c, c.operand(1).dims, from));
      if (c.operand(1).type != from.type)
        return c.error("update is " + c.operand(1).text() + ", expected elements " + name(from.type));
      return c.shape_is(from);
    case Opcode::concatenate:
      return check_concatenate(c);
    default:
      break;
  }
  TRY_VOID(c.operands(1));
  switch (c.instruction.opcode) {
    case Opcode::transpose:
      return check_transpose(c);
    case Opcode::broadcast:
      return check_broadcast(c);
    case Opcode::slice:
      return check_slice(c);
    default:
      return check_reshape(c);
  }
}

}  // namespace shardscope
