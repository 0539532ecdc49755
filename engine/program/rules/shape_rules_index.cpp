// SPDX-License-Identifier: Apache-2.0
// Shape rules of operations with dimension numbers of their own, and of sort.
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

// to_apply takes a pair of scalars of each array and gives a predicate.
Result<void> check_comparator(const InstructionCheck& c, const Computation& comparator) {
  const size_t arrays = c.operand_count();
  const auto given = parameters(comparator);
  for (const Instruction& i : given) {
    const auto array = static_cast<size_t>(i.parameter_number) / 2;
    if (array < arrays && !c.same_shape(i.shape, Shape::scalar(c.operand(array).type)))
      return c.error(comparator.name + " takes " + i.shape.text() + ", expected a scalar of operand " +
                     std::to_string(array));
  }
  if (given.size() == 2 * arrays &&
      c.same_shape(comparator.root_instruction().shape, Shape::scalar(ElementType::pred)))
    return {};
  return c.error(comparator.name + " is not a comparison of " + std::to_string(arrays) + " pairs");
}

// What it calls by the key takes two of `scalar` and gives `result`.
Result<void> check_pair_callee(const InstructionCheck& c, std::string_view key, const Shape& scalar,
                               const Shape& result) {
  const Computation* called = c.callee(key);
  if (called == nullptr) return c.error("needs " + std::string(key));
  const auto given = parameters(*called);
  bool fits = given.size() == 2 && c.same_shape(called->root_instruction().shape, result);
  for (const Instruction& i : given) fits = fits && c.same_shape(i.shape, scalar);
  if (fits) return {};
  return c.error(called->name + ", expected to take two " + scalar.text() + " and to give " + result.text());
}

}  // namespace

Result<void> check_gather(const InstructionCheck& c) {
  TRY_VOID(gather_dims(c.computation, c.instruction));
  return c.shape_is(Shape::array(c.operand(0).type, c.instruction.shape.dims));
}

Result<void> check_scatter(const InstructionCheck& c) {
  TRY_VOID(scatter_dims(c.computation, c.instruction));
  const size_t arrays = c.operand_count() / 2;
  for (size_t k = 0; k < arrays; ++k) {
    const Shape &of = c.operand(k), &update = c.operand(arrays + 1 + k);
    const Shape& made = c.instruction.shape.is_tuple ? c.instruction.shape.elements[k] : c.instruction.shape;
    if (!c.same_type(update.type, of.type) || !c.same_type(made.type, of.type))
      return c.error("makes " + made.text() + " of " + of.text() + " and " + update.text() +
                     ", expected elements of one type");
  }
  return {};
}

Result<void> check_convolution(const InstructionCheck& c) {
  TRY_VOID(convolution_dims(c.computation, c.instruction));
  return {};
}

Result<void> check_reduce_window(const InstructionCheck& c) {
  const size_t arrays = c.operand_count() / 2;
  if (arrays == 0 || c.operand_count() % 2 != 0) return c.operands(2);
  TRY_VOID(c.array_operands());
  TRY_VOID(check_scalar_callee(c, arrays));
  const Shape& from = c.operand(0);
  TRY(const std::vector<WindowDim> window, window_dims(c.instruction, from.rank()));
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) {
    if (c.operand(k).dims != from.dims || c.operand(arrays + k).rank() != 0 ||
        !c.same_type(c.operand(arrays + k).type, c.operand(k).type))
      return c.error("expected arrays of the same dimensions and a scalar initial value for each");
    Shape result = Shape::array(c.operand(k).type, {});
    for (size_t d = 0; d < window.size(); ++d) result.dims.push_back(window_places(window[d], from.dims[d]));
    results.push_back(std::move(result));
  }
  return c.shape_is(arrays == 1 ? results[0] : Shape::tuple(results));
}

// The operand, what is scattered (one for each place of the window), and a scalar where nothing is.
Result<void> check_select_and_scatter(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  const Shape scalar = Shape::scalar(from.type);
  TRY(const std::vector<WindowDim> window, window_dims(c.instruction, from.rank()));
  Shape source = Shape::array(from.type, {});
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d].base_dilation != 1 || window[d].window_dilation != 1 || window[d].reversed)
      return c.error("a dilated or reversed window, expected size, stride and pad");
    source.dims.push_back(window_places(window[d], from.dims[d]));
  }
  if (!c.same_shape(c.operand(1), source))
    return c.error("source is " + c.operand(1).text() + ", expected " + source.text() +
                   ", one element for each place of the window");
  if (!c.same_shape(c.operand(2), scalar))
    return c.error("initial value is " + c.operand(2).text() + ", expected " + scalar.text());
  TRY_VOID(check_pair_callee(c, "select", scalar, Shape::scalar(ElementType::pred)));
  TRY_VOID(check_pair_callee(c, "scatter", scalar, scalar));
  return c.shape_is(Shape::array(from.type, from.dims));
}

Result<void> check_sort(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  if (c.instruction.dimensions.size() != 1) return c.error("needs one dimension");
  TRY_VOID(c.dimension(c.instruction.dimensions[0], c.operand(0).rank()));
  std::vector<Shape> results;
  for (size_t k = 0; k < c.operand_count(); ++k) {
    if (c.operand(k).dims != c.operand(0).dims) return c.error("operands of different dimensions");
    results.push_back(Shape::array(c.operand(k).type, c.operand(k).dims));
  }
  TRY_VOID(c.shape_is(results.size() == 1 ? results[0] : Shape::tuple(results)));
  for (const CalledComputation& called : c.instruction.called)
    if (called.key == "to_apply") return check_comparator(c, c.program.computation(called.computation));
  return c.error("needs to_apply");
}

}  // namespace shardscope::inline program
