// SPDX-License-Identifier: Apache-2.0
// Shape rules of products and reductions.
#include <algorithm>

#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

Result<void> check_dot_side(const InstructionCheck& c, size_t side, std::vector<int64_t> used) {
  std::sort(used.begin(), used.end());
  for (size_t d = 0; d < used.size(); ++d) {
    TRY_VOID(c.dimension(used[d], c.operand(side).rank()));
    if (d > 0 && used[d] == used[d - 1])
      return c.error("dimension " + std::to_string(used[d]) + " of operand " + std::to_string(side) +
                     " is used twice");
  }
  return {};
}

Result<void> check_dot_pairs(const InstructionCheck& c, const std::vector<int64_t>& lhs,
                             const std::vector<int64_t>& rhs, const char* what) {
  if (lhs.size() != rhs.size())
    return c.error(std::to_string(lhs.size()) + " and " + std::to_string(rhs.size()) + " " + what +
                   " dimensions, expected as many on both sides");
  for (size_t d = 0; d < lhs.size(); ++d) {
    const int64_t a = c.operand(0).dims[static_cast<size_t>(lhs[d])];
    const int64_t b = c.operand(1).dims[static_cast<size_t>(rhs[d])];
    if (a != b)
      return c.error(std::string(what) + " sizes " + std::to_string(a) + " and " + std::to_string(b) +
                     ", expected equal ones");
  }
  return {};
}

std::vector<int64_t> all_of(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void append_free(const Shape& shape, const std::vector<int64_t>& used, std::vector<int64_t>& dims) {
  for (size_t d = 0; d < shape.rank(); ++d)
    if (std::find(used.begin(), used.end(), static_cast<int64_t>(d)) == used.end())
      dims.push_back(shape.dims[d]);
}

}  // namespace

Result<void> check_dot(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const DotDims& dot = c.instruction.dot;
  const auto lhs_used = all_of(dot.lhs_batch, dot.lhs_contracting);
  const auto rhs_used = all_of(dot.rhs_batch, dot.rhs_contracting);
  TRY_VOID(check_dot_side(c, 0, lhs_used));
  TRY_VOID(check_dot_side(c, 1, rhs_used));
  TRY_VOID(check_dot_pairs(c, dot.lhs_batch, dot.rhs_batch, "batch"));
  TRY_VOID(check_dot_pairs(c, dot.lhs_contracting, dot.rhs_contracting, "contracting"));
  const ElementType left = c.operand(0).type, right = c.operand(1).type;
  if (is_complex(left) != is_complex(right) || is_complex(left) != is_complex(c.instruction.shape.type))
    return c.error("elements " + std::string(name(left)) + ", " + name(right) + " and " +
                   name(c.instruction.shape.type) + ", expected all of them complex or none");
  // The result's type is free: products may be kept wider than their factors.
  Shape expected = Shape::array(c.instruction.shape.type, {});
  for (const int64_t d : dot.lhs_batch) expected.dims.push_back(c.operand(0).dims[static_cast<size_t>(d)]);
  append_free(c.operand(0), lhs_used, expected.dims);
  append_free(c.operand(1), rhs_used, expected.dims);
  return c.shape_is(expected);
}

Result<void> check_scalar_callee(const InstructionCheck& c, size_t arrays) {
  const Computation* called = c.callee("to_apply");
  if (called == nullptr) return c.error("needs to_apply");
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) results.push_back(Shape::scalar(c.operand(k).type));
  const auto given = parameters(*called);
  for (const Instruction& i : given) {
    const auto number = static_cast<size_t>(i.parameter_number);
    if (number < 2 * arrays && !c.same_shape(i.shape, results[number % arrays]))
      return c.error(called->name + " takes " + i.shape.text() + " as parameter " + std::to_string(number) +
                     ", expected " + results[number % arrays].text());
  }
  if (given.size() != 2 * arrays)
    return c.error(called->name + " takes " + std::to_string(given.size()) + " parameters, expected " +
                   std::to_string(2 * arrays));
  const Shape expected = arrays == 1 ? results[0] : Shape::tuple(results);
  const Shape& root = called->root_instruction().shape;
  if (c.same_shape(root, expected)) return {};
  return c.error(called->name + " returns " + root.text() + ", expected " + expected.text());
}

// Arrays of the same dimensions, then an initial value for each.
Result<void> check_reduce(const InstructionCheck& c) {
  const size_t arrays = c.operand_count() / 2;
  if (arrays == 0 || c.operand_count() % 2 != 0) return c.operands(2);
  TRY_VOID(c.array_operands());
  TRY_VOID(check_scalar_callee(c, arrays));
  const Shape& from = c.operand(0);
  std::vector<int64_t> reduced = c.instruction.dimensions;
  std::sort(reduced.begin(), reduced.end());
  for (size_t d = 0; d < reduced.size(); ++d) {
    TRY_VOID(c.dimension(reduced[d], from.rank()));
    if (d > 0 && reduced[d] == reduced[d - 1])
      return c.error("dimension " + std::to_string(reduced[d]) + " is reduced twice");
  }
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) {
    const Shape& array = c.operand(k);
    const Shape& initial = c.operand(arrays + k);
    if (array.dims != from.dims)
      return c.error("operand " + std::to_string(k) + " is " + array.text() +
                     ", expected the dimensions of " + from.text());
    if (initial.rank() != 0 || !c.same_type(initial.type, array.type))
      return c.error("initial value is " + initial.text() + ", expected a scalar " + name(array.type));
    Shape result = Shape::array(array.type, {});
    append_free(array, c.instruction.dimensions, result.dims);
    results.push_back(std::move(result));
  }
  return c.shape_is(arrays == 1 ? results[0] : Shape::tuple(results));
}

}  // namespace shardscope::inline program
