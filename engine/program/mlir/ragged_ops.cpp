// SPDX-License-Identifier: Apache-2.0
// chlo.ragged_dot, in the three forms in which JAX writes it: the product and its two gradients.
#include "engine/program/build/grouped_rows.h"
#include "engine/program/mlir/stablehlo_ops.h"

namespace shardscope::inline program {
namespace {

// Of a ragged-dot; empty: not said.
struct RaggedDims {
  std::vector<int64_t> rows, groups;
};

// Rows in groups are contracted, as in the gradient of the groups' sides: one product for each group.
Result<void> lower_groups_of_rows(MlirCase& c, Shape shape) {
  const Shape lhs = c.shape(0);
  if (lhs.rank() != 2 || c.shape(1).rank() != 2 || c.shape(2).rank() != 1 || shape.rank() != 3)
    return c.error("operands of these ranks, expected [m,k], [m,n] and [groups]");
  const AddInstruction add = [&](Instruction i) { return c.emit(std::move(i)); };
  const InstructionId own = rows_of_each_group(add, c.operands[0], lhs, c.operands[2], c.shape(2).dims[0]);
  Instruction made = c.make(Opcode::dot, std::move(shape), {own, c.operands[1]});
  made.dot = over_rows();
  TRY_VOID(add_precision(c, made));
  return c.give(std::move(made));
}

// The group's sides as [groups,k,n].
InstructionId turned_sides(MlirCase& c) {
  const Shape& from = c.shape(1);
  Instruction turned =
      c.make(Opcode::transpose, Shape::array(from.type, {from.dims[0], from.dims[2], from.dims[1]}),
             {c.operands[1]});
  turned.dimensions = {0, 2, 1};
  return c.emit(std::move(turned));
}

}  // namespace

Result<void> lower_ragged_dot(MlirCase& c) {
  TRY_VOID(c.expects(3));
  TRY(Shape shape, c.result());
  DotDims dot;
  RaggedDims ragged;
  TRY(const std::string_view numbers, c.text({"ragged_dot_dimension_numbers"}));
  TRY_VOID(mlir_lists(c, numbers,
                      {{"lhs_batching_dimensions", &dot.lhs_batch},
                       {"rhs_batching_dimensions", &dot.rhs_batch},
                       {"lhs_contracting_dimensions", &dot.lhs_contracting},
                       {"rhs_contracting_dimensions", &dot.rhs_contracting},
                       {"lhs_ragged_dimensions", &ragged.rows},
                       {"rhs_group_dimensions", &ragged.groups}}));
  if (ragged.rows == std::vector<int64_t>{0} && ragged.groups.empty() && dot == over_rows())
    return lower_groups_of_rows(c, std::move(shape));
  if (ragged.rows != std::vector<int64_t>{0} || ragged.groups != std::vector<int64_t>{0})
    return lower_unknown_op(c);  // of batches
  std::vector<InstructionId> operands = c.operands;
  if (dot.rhs_contracting == std::vector<int64_t>{2} && c.shape(1).rank() == 3) {
    operands[1] = turned_sides(c);
    dot.rhs_contracting = {1};
  }
  Instruction made = c.make(Opcode::ragged_dot, std::move(shape), std::move(operands));
  made.dot = std::move(dot);
  return c.give(std::move(made));
}

}  // namespace shardscope::inline program
