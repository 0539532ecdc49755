// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_refusals.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kShown = 40;  // letters of what is refused

int64_t leaves(const Shape& shape) {
  if (!shape.is_tuple) return 1;
  int64_t count = 0;
  for (const Shape& element : shape.elements) count += leaves(element);
  return count;
}

const VerbatimAttribute* verbatim(const Instruction& i, std::string_view key) {
  const auto found = std::ranges::find(i.verbatim, key, &VerbatimAttribute::key);
  return found == i.verbatim.end() ? nullptr : &*found;
}

Result<void> check_parameter(const InstructionCheck& c) {
  const VerbatimAttribute* replicated = verbatim(c.instruction, "parameter_replication");
  if (replicated == nullptr) return {};
  const auto said = std::ranges::count(replicated->value, ',') + 1;
  if (said == leaves(c.instruction.shape)) return {};
  return c.error("parameter_replication of " + std::to_string(said) + " arrays, expected " +
                 std::to_string(leaves(c.instruction.shape)));
}

Result<void> check_constant(const InstructionCheck& c) {
  auto fits = check_literal(c.instruction.literal, c.instruction.shape);
  return fits.ok() ? fits : c.error(fits.error().what);
}

Result<void> check_broadcast_said(const InstructionCheck& c) {
  if (c.operand(0).rank() == 0 || !c.instruction.dimensions.empty()) return {};
  return c.error("needs dimensions, one for each of " + c.operand(0).text());
}

// A predicate chooses between two computations, a number among any.
Result<void> check_branches(const InstructionCheck& c) {
  const Shape& choice = c.operand(0);
  const bool truth = same_shape(choice, Shape::scalar(ElementType::pred));
  if (!truth && !same_shape(choice, Shape::scalar(ElementType::s32)))
    return c.error("operand 0 is " + choice.text() + ", expected pred[] or s32[]");
  for (const CalledComputation& called : c.instruction.called)
    if ((called.key == "branch_computations") == truth)
      return c.error(truth ? "operand 0 is pred[], expected true_computation and false_computation"
                           : "operand 0 is s32[], expected branch_computations");
  return {};
}

Result<void> check_constraints(const InstructionCheck& c) {
  if (const VerbatimAttribute* version = verbatim(c.instruction, "api_version"))
    if (!version->value.starts_with("API_VERSION_") || version->value == "API_VERSION_UNSPECIFIED" ||
        !has_word("API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING API_VERSION_STATUS_RETURNING_UNIFIED "
                  "API_VERSION_TYPED_FFI",
                  version->value))
      return c.error("api_version=" + version->value + " is none of XLA's");
  const VerbatimAttribute* constraints = verbatim(c.instruction, "operand_layout_constraints");
  if (constraints == nullptr) return {};
  HloLexer lexer(constraints->value, "operand_layout_constraints");
  TRY_VOID(lexer.expect("{"));
  size_t count = 0;
  while (!lexer.accept("}")) {
    TRY(const Shape shape, read_shape(lexer));
    if (count < c.operand_count() && !same_shape(shape, c.operand(count)))
      return c.error("operand_layout_constraints have " + shape.text() + " for operand " +
                     std::to_string(count) + ", which is " + c.operand(count).text());
    ++count;
    if (!lexer.accept(",") && !lexer.starts_with("}")) return lexer.expected("',' or '}'");
  }
  if (count == c.operand_count()) return {};
  return c.error(std::to_string(count) + " operand_layout_constraints, expected " +
                 std::to_string(c.operand_count()));
}

// ((operands), results, …).
Result<void> check_async_start(const InstructionCheck& c) {
  const Shape& shape = c.instruction.shape;
  if (shape.is_tuple && shape.elements.size() >= 2 && shape.elements[0].is_tuple) return {};
  return c.error("shape " + shape.text() + ", expected ((operands), results, state)");
}

bool is_async(const Instruction& i, std::string_view end) {
  const std::string_view name = opcode_text(i);
  return name.ends_with(end) && (!is_known(i.opcode) || name.starts_with("async-"));
}

// "add-done" goes with "add-start", and calls what that called.
Result<void> check_async_end(const InstructionCheck& c) {
  if (c.operand_count() != 1) return c.error("expected one operand, an asynchronous operation");
  const Instruction& before = c.computation.at(c.instruction.operands[0]);
  if (!is_async(before, "-start") && !is_async(before, "-update"))
    return c.error("operand is " + std::string(opcode_text(before)) + ", expected an asynchronous operation");
  const std::string_view own = without_async(opcode_text(c.instruction)),
                         other = without_async(opcode_text(before));
  if (own != other && own != "async" && other != "async")
    return c.error("ends " + std::string(own) + ", expected " + std::string(other));
  const Instruction* start = &before;
  while (is_async(*start, "-update") && start->operands.size() == 1)
    start = &c.computation.at(start->operands[0]);
  if (!c.instruction.called.empty() && !start->called.empty() && c.instruction.called != start->called)
    return c.error("calls another computation than its start");
  if (const VerbatimAttribute* thread = verbatim(c.instruction, "async_execution_thread")) {
    const VerbatimAttribute* other_thread = verbatim(*start, "async_execution_thread");
    if (thread->value != (other_thread == nullptr ? "\"main\"" : other_thread->value))
      return c.error("async_execution_thread=" + thread->value + " is another thread than its start's");
  }
  if (is_async(c.instruction, "-update") && !same_shape(c.instruction.shape, c.operand(0)))
    return c.error("shape " + c.instruction.shape.text() + ", expected its operand's " + c.operand(0).text());
  return {};
}

Result<void> check_named_only(const InstructionCheck& c) {
  const std::string& name = c.instruction.opcode_name;
  if (name == "infeed" && (!c.instruction.shape.is_tuple || c.instruction.shape.elements.empty()))
    return c.error("shape " + c.instruction.shape.text() + ", expected a tuple");
  if (name == "send-done" || name == "recv-done") return {};
  if (name.ends_with("-start")) return check_async_start(c);
  return name.ends_with("-update") || name.ends_with("-done") ? check_async_end(c) : Result<void>();
}

// "mode=highest", or tolerances.
Result<void> check_accuracy(const InstructionCheck& c) {
  const VerbatimAttribute* accuracy = verbatim(c.instruction, "result_accuracy");
  if (accuracy == nullptr) return {};
  const std::string_view text = accuracy->value;
  const bool known = has_word("{mode=default} {mode=highest}", text) || text.starts_with("{tolerance={");
  return known ? Result<void>()
               : c.error("result_accuracy=" + accuracy->value + ", expected a mode or tolerance");
}

using Refusal = Result<void> (*)(const InstructionCheck&);

const OpTable<Refusal>& refusals() {
  static const OpTable<Refusal> rows({{OpClass::elementwise, &check_accuracy}},
                                     {{Opcode::parameter, &check_parameter},
                                      {Opcode::constant, &check_constant},
                                      {Opcode::broadcast, &check_broadcast_said},
                                      {Opcode::conditional, &check_branches},
                                      {Opcode::custom_call, &check_constraints},
                                      {Opcode::async_start, &check_async_start},
                                      {Opcode::async_update, &check_async_end},
                                      {Opcode::async_done, &check_async_end},
                                      {Opcode::unknown, &check_named_only}});
  return rows;
}

}  // namespace

Result<void> check_written(const Program& program, const Computation& computation,
                           const Instruction& instruction) {
  const InstructionCheck c{program, computation, instruction};
  TRY_VOID(c.arity());
  const Refusal refusal = refusals()[instruction.opcode];
  return refusal == nullptr ? Result<void>() : refusal(c);
}

std::string layout_mistake(std::string_view layout, size_t rank) {
  const std::string_view order = layout.substr(0, layout.find(':'));
  std::vector<bool> seen(rank);
  size_t said = 0;
  for (const std::string& part : split(order, ',')) {
    const auto d = parse_int(trim(part));
    if (!d || *d < 0 || *d >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(*d)])
      return "layout {" + std::string(order.substr(0, kShown)) + "}, expected each dimension once";
    seen[static_cast<size_t>(*d)] = true;
    ++said;
  }
  if (said != rank)
    return "layout of " + std::to_string(said) + " dimensions, expected " + std::to_string(rank);
  if (order.size() == layout.size()) return "";
  bool sparse = false;
  for (std::string_view rest = trim(layout.substr(order.size() + 1)); !rest.empty(); rest = trim(rest)) {
    const std::string_view tag = rest.substr(0, rest.find('('));
    if (tag.size() == rest.size() || !(tag.empty() || has_word("D T L # * E S SC P M", tag)))
      return "layout has '" + std::string(tag.substr(0, kShown)) +
             "', expected D, T, L, #, *, E, S, SC, P or M with (…)";
    int depth = 0;
    size_t end = tag.size();
    do depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    while (++end < rest.size() && depth > 0);
    if (depth > 0) return "layout without a closing ')'";
    const std::string_view inside = rest.substr(tag.size() + 1, end - tag.size() - 2);
    if (tag == "D" && inside.find_first_not_of("DCSH,+~ ") != std::string_view::npos)
      return "layout levels D(" + std::string(inside.substr(0, kShown)) + "), expected D, C, S or H";
    sparse = sparse || (tag == "D" && inside.find_first_of("CSH") != std::string_view::npos);
    if (tag == "P" && !sparse) return "layout with a physical shape of an array that is not sparse";
    rest.remove_prefix(end);
  }
  return "";
}

}  // namespace shardscope::inline program
