// SPDX-License-Identifier: Apache-2.0
// Shape rules of operations that put the same elements in other places.
#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/layout.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

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

}  // namespace

Result<void> check_bitcast(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  const Shape& to = c.instruction.shape;
  if (to.is_tuple) return c.error("shape " + to.text() + ", expected an array");
  if (c.scheduled || from.bytes() == to.bytes() || stored_bytes(from) == stored_bytes(to)) return {};
  return c.error(to.text() + " has " + std::to_string(to.bytes()) + " bytes, expected " +
                 std::to_string(from.bytes()) + " as in " + from.text());
}

// Elements of another width are the last dimension of the array of the narrower ones.
Result<void> check_bitcast_convert(const InstructionCheck& c) {
  TRY_VOID(check_bitcast(c));
  const Shape &from = c.operand(0), &to = c.instruction.shape;
  const int64_t own = bits(from.type), made = bits(to.type);
  if (own == 0 || made == 0 || is_complex(from.type) != is_complex(to.type))
    return c.error("shape " + to.text() + ", expected no elements of another kind than " + from.text());
  std::vector<int64_t> expected = from.dims;
  if (own > made && own % made == 0) expected.push_back(own / made);
  if (own < made && made % own == 0 && !expected.empty() && expected.back() == made / own)
    expected.pop_back();
  if (to.dims == expected) return {};
  return c.error("shape " + to.text() + ", expected " + Shape::array(to.type, expected).text() + " of " +
                 from.text());
}

Result<void> check_reshape(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  const Shape& to = c.instruction.shape;
  if (to.is_tuple) return c.error("shape " + to.text() + ", expected an array");
  if (c.same_type(from.type, to.type) && from.element_count() == to.element_count()) return {};
  return c.error("shape " + to.text() + ", expected " + std::to_string(from.element_count()) +
                 " elements as in " + from.text());
}

Result<void> check_transpose(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
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
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  const Shape& to = c.instruction.shape;
  const std::vector<int64_t>& dims = c.instruction.dimensions;
  if (to.is_tuple || !c.same_type(to.type, from.type))
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
  TRY_VOID(c.array_operands());
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
    expected.dims.push_back(limit == start ? 0 : (limit - start - 1) / stride + 1);
  }
  return c.shape_is(expected);
}

Result<void> check_dynamic_slice(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  const std::vector<int64_t>& sizes = c.instruction.dynamic_slice_sizes;
  TRY_VOID(check_start_indices(c, 1, from.rank()));
  TRY_VOID(check_within(c, sizes, from));
  return c.shape_is(Shape::array(from.type, sizes));
}

Result<void> check_dynamic_update_slice(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  TRY_VOID(check_start_indices(c, 2, from.rank()));
  TRY_VOID(check_within(c, c.operand(1).dims, from));
  if (!c.same_type(c.operand(1).type, from.type))
    return c.error("update is " + c.operand(1).text() + ", expected elements " + name(from.type));
  return c.shape_is(from);
}

Result<void> check_concatenate(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const std::vector<int64_t>& dims = c.instruction.dimensions;
  if (dims.size() != 1) return c.error(std::to_string(dims.size()) + " dimensions, expected 1");
  Shape expected = Shape::array(c.operand(0).type, c.operand(0).dims);
  TRY_VOID(c.dimension(dims[0], expected.rank()));
  const auto along = static_cast<size_t>(dims[0]);
  expected.dims[along] = 0;
  for (size_t k = 0; k < c.operand_count(); ++k) {
    Shape other = Shape::array(c.operand(k).type, c.operand(k).dims);
    if (other.rank() != expected.rank() || !c.same_type(other.type, expected.type))
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

Result<void> check_pad(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  if (c.operand(1).rank() != 0 || !c.same_type(c.operand(1).type, from.type))
    return c.error("padding value is " + c.operand(1).text() + ", expected a scalar " + name(from.type));
  TRY(const std::vector<PadDim> pad, pad_dims(c.instruction, from.rank()));
  Shape expected = Shape::array(from.type, {});
  for (size_t d = 0; d < pad.size(); ++d) {
    expected.dims.push_back(padded_size(pad[d], from.dims[d]));
    if (expected.dims.back() < 0)
      return c.error("padding leaves less than nothing of dimension " + std::to_string(d));
  }
  return c.shape_is(expected);
}

Result<void> check_dimension_size(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  if (c.instruction.dimensions.size() != 1) return c.error("needs one dimension");
  TRY_VOID(c.dimension(c.instruction.dimensions[0], c.operand(0).rank()));
  return c.shape_is(Shape::scalar(ElementType::s32));
}

Result<void> check_reverse(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  for (const int64_t d : c.instruction.dimensions) TRY_VOID(c.dimension(d, c.operand(0).rank()));
  return c.shape_is(c.operand(0));
}

}  // namespace shardscope::inline program
