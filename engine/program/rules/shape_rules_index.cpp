// SPDX-License-Identifier: Apache-2.0
// Shape rules of instructions whose dimension numbers stand in verbatim attributes, and of branches.
#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope {
namespace {

Result<void> check_pad(const InstructionCheck& c) {
  TRY_VOID(c.operands(2));
  TRY_VOID(c.array_operands());
  const Shape& from = c.operand(0);
  if (c.operand(1).rank() != 0 || c.operand(1).type != from.type)
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

Result<void> check_gather(const InstructionCheck& c) {
  TRY_VOID(gather_dims(c.computation, c.instruction));
  return c.shape_is(Shape::array(c.operand(0).type, c.instruction.shape.dims));
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
        c.operand(arrays + k).type != c.operand(k).type)
      return c.error("expected arrays of the same dimensions and a scalar initial value for each");
    Shape result = Shape::array(c.operand(k).type, {});
    for (size_t d = 0; d < window.size(); ++d) result.dims.push_back(window_places(window[d], from.dims[d]));
    results.push_back(std::move(result));
  }
  return c.shape_is(arrays == 1 ? results[0] : Shape::tuple(results));
}

Result<void> check_sort(const InstructionCheck& c) {
  if (c.operand_count() == 0) return c.error("no operands, expected some");
  TRY_VOID(c.array_operands());
  if (c.instruction.dimensions.size() != 1) return c.error("needs one dimension");
  TRY_VOID(c.dimension(c.instruction.dimensions[0], c.operand(0).rank()));
  std::vector<Shape> results;
  for (size_t k = 0; k < c.operand_count(); ++k) {
    if (c.operand(k).dims != c.operand(0).dims) return c.error("operands of different dimensions");
    results.push_back(Shape::array(c.operand(k).type, c.operand(k).dims));
  }
  TRY_VOID(c.shape_is(results.size() == 1 ? results[0] : Shape::tuple(results)));
  for (const CalledComputation& called : c.instruction.called) {
    if (called.key != "to_apply") continue;
    const Computation& comparator = c.program.computation(called.computation);
    size_t parameters = 0;
    for (const Instruction& i : comparator.instructions) {
      if (i.opcode != Opcode::parameter) continue;
      ++parameters;
      const auto array = static_cast<size_t>(i.parameter_number) / 2;
      if (array < results.size() && !same_shape(i.shape, Shape::scalar(results[array].type)))
        return c.error(comparator.name + " takes " + i.shape.text() + ", expected a scalar of operand " +
                       std::to_string(array));
    }
    if (parameters == 2 * results.size() &&
        same_shape(comparator.root_instruction().shape, Shape::scalar(ElementType::pred)))
      return {};
    return c.error(comparator.name + " is no comparison of " + std::to_string(results.size()) + " pairs");
  }
  return c.error("needs to_apply");
}

Result<void> check_conditional(const InstructionCheck& c) {
  size_t branch = 0;
  for (const CalledComputation& called : c.instruction.called) {
    const Computation& computation = c.program.computation(called.computation);
    ++branch;
    size_t parameters = 0;
    for (const Instruction& i : computation.instructions) {
      if (i.opcode != Opcode::parameter) continue;
      ++parameters;
      if (branch < c.operand_count() && !same_shape(i.shape, c.operand(branch)))
        return c.error("operand " + std::to_string(branch) + " is " + c.operand(branch).text() + ", " +
                       computation.name + " expects " + i.shape.text());
    }
    if (parameters > 1) return c.error(computation.name + " takes several parameters, expected one");
    if (!same_shape(computation.root_instruction().shape, c.instruction.shape))
      return c.error(computation.name + " returns " + computation.root_instruction().shape.text() +
                     ", expected " + c.instruction.shape.text());
  }
  if (branch == 0) return c.error("needs branches");
  return c.operands(branch + 1);
}

}  // namespace

Result<void> check_indexing(const InstructionCheck& c) {
  const Instruction& i = c.instruction;
  switch (i.opcode) {
    case Opcode::pad:
      return check_pad(c);
    case Opcode::reverse:
      TRY_VOID(c.operands(1));
      TRY_VOID(c.array_operands());
      for (const int64_t d : i.dimensions) TRY_VOID(c.dimension(d, c.operand(0).rank()));
      return c.shape_is(c.operand(0));
    case Opcode::gather:
      return check_gather(c);
    case Opcode::scatter: {
      const auto dims = scatter_dims(c.computation, i);
      return dims.ok() ? Result<void>() : Result<void>(dims.error());
    }
    case Opcode::reduce_window:
      return check_reduce_window(c);
    case Opcode::sort:
      return check_sort(c);
    case Opcode::conditional:
      return check_conditional(c);
    case Opcode::optimization_barrier:
      TRY_VOID(c.operands(1));
      return c.shape_is(c.operand(0));
    default: {
      const auto dims = convolution_dims(c.computation, i);
      return dims.ok() ? Result<void>() : Result<void>(dims.error());
    }
  }
}

}  // namespace shardscope
