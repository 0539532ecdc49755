// SPDX-License-Identifier: Apache-2.0
// Calls, loops and branches: each computation is a function of Python.
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/source/jax_rules.h"
#include "engine/program/source/python_names.h"

namespace shardscope::inline program {
namespace {

const std::string* function(const JaxOperation& op, std::string_view key) {
  for (const CalledComputation& c : op.i.called)
    if (c.key == key) return &op.functions[static_cast<size_t>(c.computation.value)];
  return nullptr;
}

}  // namespace

namespace jax_rule {

Result<std::string> call(const JaxOperation& op) {
  if (op.i.called.empty()) return op.hole("it does not say what it calls");
  return fmt::format("{}({})", op.functions[static_cast<size_t>(op.i.called.front().computation.value)],
                     join(op.operands, ", "));
}

Result<std::string> while_loop(const JaxOperation& op) {
  const std::string *condition = function(op, "condition"), *body = function(op, "body");
  if (condition == nullptr || body == nullptr) return op.hole("a loop without a condition or a body");
  return fmt::format("lax.while_loop({}, {}, {})", *condition, *body, op.operand(0));
}

Result<std::string> conditional(const JaxOperation& op) {
  std::vector<std::string> branches;
  const std::string *when_true = function(op, "true_computation"),
                    *when_false = function(op, "false_computation");
  if (when_true != nullptr && when_false != nullptr) {
    branches = {*when_false, *when_true};
  } else {
    for (const CalledComputation& c : op.i.called)
      branches.push_back(op.functions[static_cast<size_t>(c.computation.value)]);
  }
  if (branches.size() + 1 != op.operands.size()) return op.hole("branches and operands do not match");
  const bool two = op.operand_shape(0).type == ElementType::pred;
  std::vector<std::string> calls;
  // Of a predicate the first operand belongs to the branch that is taken when it is true.
  for (size_t n = 0; n < branches.size(); ++n)
    calls.push_back(fmt::format("lambda: {}({})", branches[n], op.operand(1 + (two ? 1 - n : n))));
  return fmt::format(
      "lax.switch({}, ({}))",
      two ? fmt::format("lax.convert_element_type({}, jnp.int32)", op.operand(0)) : op.operand(0),
      join(calls, ", "));
}

Result<std::string> custom_call(const JaxOperation& op) {
  const std::string target = custom_call_target(op.i);
  if (target == "TopK" && op.i.shape.is_tuple && op.operands.size() == 1)
    return fmt::format("lax.top_k({}, {})", op.operand(0), op.i.shape.elements.front().dims.back());
  const bool annotation = target.ends_with("Sharding") && op.operands.size() == 1;
  if (annotation) return op.operand(0);
  return op.hole(fmt::format("it calls {}", target.empty() ? "something" : target));
}

}  // namespace jax_rule
}  // namespace shardscope::inline program
