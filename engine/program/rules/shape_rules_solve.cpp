// SPDX-License-Identifier: Apache-2.0
// Shape rules of factorisations and of systems of equations, of matrices in the last two dimensions.
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

Result<void> check_square(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& matrix = c.operand(0);
  const size_t rank = matrix.rank();
  const bool inexact = is_floating(real_type(matrix.type));
  if (inexact && rank >= 2 && matrix.dims[rank - 1] == matrix.dims[rank - 2]) return {};
  return c.error("operand 0 is " + matrix.text() + ", expected square matrices of floats");
}

}  // namespace

Result<void> check_cholesky(const InstructionCheck& c) {
  TRY_VOID(check_square(c));
  return c.shape_is(Shape::array(c.operand(0).type, c.operand(0).dims));
}

Result<void> check_triangular_solve(const InstructionCheck& c) {
  TRY_VOID(check_square(c));
  const Shape &a = c.operand(0), &b = c.operand(1);
  const auto* sides = std::get_if<TriangularSides>(&*c.instruction.attributes);
  const bool left = sides != nullptr && sides->left_side;
  const size_t rank = a.rank();
  bool fits = b.rank() == rank && b.type == a.type;
  for (size_t d = 0; fits && d + 2 < rank; ++d) fits = a.dims[d] == b.dims[d];
  if (!fits || b.dims[left ? rank - 2 : rank - 1] != a.dims[rank - 1])
    return c.error("operand 1 is " + b.text() + ", expected " + (left ? "rows" : "columns") +
                   " as many as those of " + a.text());
  return c.shape_is(Shape::array(b.type, b.dims));
}

}  // namespace shardscope::inline program
