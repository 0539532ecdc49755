// SPDX-License-Identifier: Apache-2.0
// Rows of StableHLO's calls, loops, branches and custom calls.
#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/stablehlo_ops.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

// What regions use from outside: handed on as values, or made again inside when they are small constants.
struct Captured {
  std::vector<std::string_view> names;
  std::vector<InstructionId> values;
  std::vector<std::pair<std::string_view, InstructionId>> constants;
};

Result<Captured> captured(MlirCase& c, const std::vector<const MlirRegion*>& regions) {
  Captured out;
  MlirComputation nowhere;
  MlirScope probe;
  probe.into = &nowhere;
  for (const std::string_view name : captured_names(regions)) {
    TRY(const InstructionId id, c.all.value(c.scope, name, c.op.place));
    if (constant_again(c.all, c.scope, id, probe)) {
      out.constants.emplace_back(name, id);
    } else {
      out.names.push_back(name);
      out.values.push_back(id);
    }
  }
  return out;
}

// A computation of one parameter that holds `values`: itself, or as elements of a tuple.
struct Handed {
  std::vector<std::string_view> names;
  Shape shape;
  bool single = false;
};

void enter(MlirCase& c, const Handed& handed, const Captured& from, MlirComputation& made, MlirScope& inner) {
  inner.into = &made;
  inner.manual = c.scope.manual;
  inner.mesh = c.scope.mesh;
  Instruction p = c.make(Opcode::parameter, handed.shape, {});
  p.parameter_number = 0;
  const InstructionId parameter = c.all.emit(inner, std::move(p));
  for (size_t k = 0; k < handed.names.size(); ++k)
    inner.names[handed.names[k]] = {parameter, handed.single ? -1 : static_cast<int64_t>(k)};
  for (const auto& [name, constant] : from.constants)
    if (const auto again = constant_again(c.all, c.scope, constant, inner)) inner.names[name] = {*again, -1};
}

// One value, or a tuple of several or none.
InstructionId held(MlirCase& c, const std::vector<InstructionId>& values) {
  return values.size() == 1 ? values.front() : c.all.tuple(c.scope, values);
}

Result<ComputationId> loop_part(MlirCase& c, const MlirRegion& region, const Handed& state,
                                const Captured& from, bool is_body) {
  MlirComputation made;
  MlirScope inner;
  Handed own = state;
  for (size_t k = 0; k < region.arguments.size(); ++k) own.names[k] = region.arguments[k].name;
  enter(c, own, from, made, inner);
  TRY(std::vector<InstructionId> results, c.all.body(inner, region.body));
  const size_t expected = is_body ? region.arguments.size() : 1;
  if (results.size() != expected)
    return c.error("a region returns " + std::to_string(results.size()) + " values, expected " +
                   std::to_string(expected));
  if (!is_body) return c.all.close(std::move(made), c.all.unique("while_condition"), std::move(results));
  for (const std::string_view name : from.names) {
    TRY(const InstructionId id, c.all.value(inner, name, c.op.place));
    results.push_back(id);
  }
  return c.all.close(std::move(made), c.all.unique("while_body"), std::move(results));
}

// HLO's loop has one value: a tuple of the state and of what the regions use from outside.
Result<void> lower_while(MlirCase& c) {
  if (c.op.regions.size() != 2) return c.error("needs a condition and a body");
  const MlirRegion &condition = c.op.regions[0], &body = c.op.regions[1];
  const size_t count = c.operands.size();
  if (condition.arguments.size() != count || body.arguments.size() != count)
    return c.error(std::to_string(count) + " operands, expected as many arguments of its regions");
  TRY(const Captured from, captured(c, {&condition, &body}));
  Handed state;
  state.names.resize(count);
  state.names.insert(state.names.end(), from.names.begin(), from.names.end());
  std::vector<InstructionId> values = c.operands;
  values.insert(values.end(), from.values.begin(), from.values.end());
  const InstructionId first = held(c, values);
  state.shape = c.scope.into->made.at(first).shape;
  state.single = values.size() == 1;
  TRY(const ComputationId test, loop_part(c, condition, state, from, false));
  TRY(const ComputationId step, loop_part(c, body, state, from, true));
  Instruction made = c.make(Opcode::while_, state.shape, {first});
  made.called = {{"condition", test}, {"body", step}};
  if (state.single || c.op.results.size() != 1 || c.op.results[0].count != 1) return c.give(std::move(made));
  TRY_VOID(c.all.annotate(c.op, c.scope.manual, made));
  c.scope.names[c.op.results[0].name] = {c.emit(std::move(made)), 0};
  return {};
}

// A branch takes what it uses from outside as its operand.
Result<void> lower_branches(MlirCase& c) {
  TRY_VOID(c.expects(1));
  if (c.op.regions.empty()) return c.error("needs branches");
  TRY(Shape shape, c.result());
  const bool by_truth = c.op.name.ends_with(".if");
  if (by_truth && c.op.regions.size() != 2) return c.error("needs two branches");
  Instruction made = c.make(Opcode::conditional, std::move(shape), {c.operands[0]});
  constexpr std::string_view kTruths[] = {"true_computation", "false_computation"};
  for (size_t k = 0; k < c.op.regions.size(); ++k) {
    const MlirRegion& region = c.op.regions[k];
    if (!region.arguments.empty()) return c.error("a branch with arguments");
    TRY(const Captured from, captured(c, {&region}));
    const InstructionId operand = held(c, from.values);
    MlirComputation branch;
    MlirScope inner;
    enter(c, {from.names, c.scope.into->made.at(operand).shape, from.values.size() == 1}, from, branch,
          inner);
    TRY(std::vector<InstructionId> results, c.all.body(inner, region.body));
    const ComputationId id = c.all.close(std::move(branch), c.all.unique("branch"), std::move(results));
    made.operands.push_back(operand);
    made.called.edit().push_back({std::string(by_truth ? kTruths[k] : "branch_computations"), id});
  }
  return c.give(std::move(made));
}

// "@f", "@\"odd\"" without '@' and quotes.
std::string_view symbol_of(std::string_view text) {
  if (text.starts_with("@")) text.remove_prefix(1);
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

Result<void> give_call(MlirCase& c, std::string_view callee) {
  if (callee.empty()) return c.error("needs the function that it calls");
  TRY(Shape shape, c.result());
  TRY(const ComputationId called, c.all.function(symbol_of(callee), c.op.place, c.scope));
  Instruction made = c.make(Opcode::call, std::move(shape), c.operands);
  made.called = {{"to_apply", called}};
  return c.give(std::move(made));
}

Result<void> lower_call(MlirCase& c) {
  const std::string_view callee = c.op.attribute("callee");
  return give_call(c, callee.empty() ? c.word('@') : callee);
}

Result<void> lower_composite(MlirCase& c) {
  return give_call(c, c.op.attribute("decomposition"));
}

// What the compiler's own targets mean: "mhlo.erf" is HLO's erf, "mhlo.lgamma" CHLO's.
Opcode known_target(std::string_view target) {
  if (!target.starts_with("mhlo.")) return Opcode::unknown;
  const std::string name(target.substr(target.find('.') + 1));
  for (const Opcode opcode : {parse_opcode(name), parse_opcode("chlo." + name)})
    if (is_elementwise(opcode)) return opcode;
  return Opcode::unknown;
}

Result<void> add_called(MlirCase& c, Instruction& made) {
  TRY(const std::string_view list, c.text({"called_computations"}));
  TRY(const std::vector<std::string_view> names, mlir_parts(c.all.lexer(), list));
  for (const std::string_view name : names) {
    TRY(const ComputationId id, c.all.function(symbol_of(name), c.op.place, c.scope));
    made.called.edit().push_back({"called_computations", id});
  }
  return {};
}

Result<void> lower_custom_call(MlirCase& c) {
  TRY(Shape shape, c.result());
  std::string target = mlir_string(c.op.attribute("call_target_name"));
  if (target.empty()) target = std::string(symbol_of(c.word('@')));
  if (target.empty()) return c.error("needs a target");
  if (const Opcode known = known_target(target); is_known(known))
    return c.give(c.make(known, std::move(shape), c.operands));
  if (target == "mhlo.topk") target = "TopK";
  if (target == "ragged_all_to_all") return lower_ragged_call(c);
  Instruction made = c.make(Opcode::custom_call, std::move(shape), c.operands);
  made.attributes = CustomCall{std::move(target)};
  TRY_VOID(add_called(c, made));
  TRY(const std::string_view effect, c.text({"has_side_effect"}));
  if (effect == "true") made.verbatim.edit().push_back({"custom_call_has_side_effect", "true"});
  // The typed interface has a dictionary, beside an empty text where there was none before.
  for (const std::string_view key : {"backend_config", "mhlo.backend_config"}) {
    TRY(const std::string_view config, c.text({key}));
    const bool typed = config.starts_with('{');
    const std::string text = typed ? std::string(config) : mlir_string(config);
    if (text.empty() || verbatim_attribute(made, "backend_config") != nullptr) continue;
    made.verbatim.edit().push_back({"backend_config", typed ? text : quote(text)});
  }
  return c.give(std::move(made));
}

// A device's own number, in the region that asks for it.
Result<void> lower_place(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(c.opcode, std::move(shape), {});
  if (c.scope.mesh != nullptr) {
    TRY(made.sharding, c.all.shardings().inside(*c.scope.mesh, c.scope.manual));
  }
  return c.give(std::move(made));
}

constexpr StablehloOp kControlRows[] = {
    {"call", Opcode::call, lower_call},
    {"case", Opcode::conditional, lower_branches},
    {"composite", Opcode::call, lower_composite},
    {"custom_call", Opcode::custom_call, lower_custom_call},
    {"if", Opcode::conditional, lower_branches},
    {"partition_id", Opcode::partition_id, lower_place},
    {"replica_id", Opcode::replica_id, lower_place},
    {"scan", Opcode::while_, lower_scan},
    {"while", Opcode::while_, lower_while},
};

}  // namespace

std::span<const StablehloOp> stablehlo_control_ops() {
  return kControlRows;
}

}  // namespace shardscope::inline program
