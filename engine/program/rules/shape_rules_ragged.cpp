// SPDX-License-Identifier: Apache-2.0
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {

// lhs[m,k], rhs[g,k,n], s32 sizes[g]: the first dimension of both is ragged.
Result<void> check_ragged_dot(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape &lhs = c.operand(0), &rhs = c.operand(1), &sizes = c.operand(2);
  if (lhs.rank() != 2 || rhs.rank() != 3)
    return c.error("operands " + lhs.text() + " and " + rhs.text() + ", expected [m,k] and [g,k,n]");
  if (c.instruction.dot->lhs_contracting != std::vector<int64_t>{1} ||
      c.instruction.dot->rhs_contracting != std::vector<int64_t>{1})
    return c.error("contracting dimensions, expected 1 on both sides");
  if (lhs.dims[1] != rhs.dims[1])
    return c.error("contracting sizes " + std::to_string(lhs.dims[1]) + " and " +
                   std::to_string(rhs.dims[1]) + ", expected equal ones");
  if (!same_shape(sizes, Shape::array(ElementType::s32, {rhs.dims[0]})))
    return c.error("group sizes " + sizes.text() + ", expected s32[" + std::to_string(rhs.dims[0]) + "]");
  // The result's type is free, as a dot's is.
  return c.shape_is(Shape::array(c.instruction.shape.type, {lhs.dims[0], rhs.dims[2]}));
}

// input, output, input offsets, send sizes, output offsets, receive sizes.
Result<void> check_ragged_all_to_all(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  TRY_VOID(check_groups(c));
  if (!c.instruction.replica_groups->ragged.empty())
    return c.error("replica_groups of different sizes, expected equal ones");
  Shape rows_of_output = c.operand(0);
  if (rows_of_output.rank() == 0 || c.operand(1).rank() == 0) return c.error("a scalar, expected rows");
  rows_of_output.dims[0] = c.operand(1).dims[0];
  if (!same_shape(rows_of_output, c.operand(1)))
    return c.error("output " + c.operand(1).text() + ", expected rows like those of " + c.operand(0).text());
  const TileAssignment& tiles = c.instruction.replica_groups->tiles;
  const int64_t group = tiles.devices.empty() ? c.program.mesh.device_count() : tiles.dims[1];
  for (size_t k = 2; k < 6; ++k) {
    const Shape& table = c.operand(k);
    const bool counts = table.type == ElementType::s32 || table.type == ElementType::s64;
    if (!counts || table.rank() != 1 || table.dims[0] != c.operand(2).dims[0] || table.dims[0] % group != 0)
      return c.error("table " + table.text() + ", expected as many s32 or s64 for each of the group's " +
                     std::to_string(group) + " devices");
  }
  return c.shape_is(c.operand(1));
}

}  // namespace shardscope::inline program
