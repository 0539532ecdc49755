// SPDX-License-Identifier: Apache-2.0
// Shape rules of operations that run computations.
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

// The callee's parameters are the operands, its root is `result`.
Result<void> check_callee(const InstructionCheck& c, std::string_view key, const Shape& result) {
  const Computation* called = c.callee(key);
  if (called == nullptr) return c.error("needs " + std::string(key));
  const auto given = parameters(*called);
  for (const Instruction& i : given) {
    const auto k = static_cast<size_t>(i.parameter_number);
    if (k < c.operand_count() && !c.same_shape(i.shape, c.operand(k)))
      return c.error("operand " + std::to_string(k) + " is " + c.operand(k).text() + ", " + called->name +
                     " expects " + i.shape.text());
  }
  if (given.size() != c.operand_count())
    return c.error("got " + std::to_string(c.operand_count()) + " operands, " + called->name + " expects " +
                   std::to_string(given.size()));
  if (c.inferred != nullptr && &result == &c.instruction.shape)
    return c.shape_is(called->root_instruction().shape);
  if (c.same_shape(called->root_instruction().shape, result)) return {};
  return c.error(called->name + " returns " + called->root_instruction().shape.text() + ", expected " +
                 result.text());
}

}  // namespace

Result<void> check_call(const InstructionCheck& c) {
  return check_callee(c, "to_apply", c.instruction.shape);
}

Result<void> check_fusion(const InstructionCheck& c) {
  return check_callee(c, "calls", c.instruction.shape);
}

// Element by element: to_apply takes a scalar of each operand.
Result<void> check_map(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  const Computation* called = c.callee("to_apply");
  if (called == nullptr) return c.error("needs to_apply");
  for (size_t k = 1; k < c.operand_count(); ++k)
    if (c.operand(k).dims != c.operand(0).dims)
      return c.error("operand " + std::to_string(k) + " is " + c.operand(k).text() +
                     ", expected the dimensions of " + c.operand(0).text());
  const auto given = parameters(*called);
  for (const Instruction& i : given) {
    const auto k = static_cast<size_t>(i.parameter_number);
    if (k < c.operand_count() && !c.same_shape(i.shape, Shape::scalar(c.operand(k).type)))
      return c.error(called->name + " takes " + i.shape.text() + ", expected a scalar " +
                     name(c.operand(k).type));
  }
  const Shape& root = called->root_instruction().shape;
  if (given.size() != c.operand_count() || root.is_tuple || root.rank() != 0)
    return c.error(called->name + ", expected a scalar of " + std::to_string(c.operand_count()) + " scalars");
  return c.shape_is(Shape::array(root.type, c.operand(0).dims));
}

// A value, and a token that it waits for.
Result<void> check_dependency(const InstructionCheck& c) {
  if (!c.same_shape(c.operand(1), Shape::scalar(ElementType::token)))
    return c.error("operand 1 is " + c.operand(1).text() + ", expected a token");
  return c.shape_is(c.operand(0));
}

Result<void> check_while(const InstructionCheck& c) {
  TRY_VOID(c.shape_is(c.operand(0)));
  TRY_VOID(check_callee(c, "condition", Shape::scalar(ElementType::pred)));
  return check_callee(c, "body", c.inferred != nullptr ? c.operand(0) : c.instruction.shape);
}

Result<void> check_conditional(const InstructionCheck& c) {
  size_t branch = 0;
  for (const CalledComputation& called : c.instruction.called) {
    const Computation& computation = c.program.computation(called.computation);
    ++branch;
    const auto given = parameters(computation);
    for (const Instruction& i : given) {
      if (branch < c.operand_count() && !c.same_shape(i.shape, c.operand(branch)))
        return c.error("operand " + std::to_string(branch) + " is " + c.operand(branch).text() + ", " +
                       computation.name + " expects " + i.shape.text());
    }
    if (given.size() > 1) return c.error(computation.name + " takes several parameters, expected one");
    if (c.inferred != nullptr)
      *c.inferred = computation.root_instruction().shape;
    else if (!c.same_shape(computation.root_instruction().shape, c.instruction.shape))
      return c.error(computation.name + " returns " + computation.root_instruction().shape.text() +
                     ", expected " + c.instruction.shape.text());
  }
  if (branch == 0) return c.error("needs branches");
  return c.operands(branch + 1);
}

}  // namespace shardscope::inline program
