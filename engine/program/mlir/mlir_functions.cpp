// SPDX-License-Identifier: Apache-2.0
// Functions: their headers, parameters and results.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/mlir/mlir_lowering.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/mlir/module_shardings.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

constexpr std::string_view kResultInfo = "jax.result_info";

// The instructions' names in HLO text: other characters become '_'.
std::string plain_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '-';
    if (!word) c = '_';
  }
  if (out.empty() || (out[0] >= '0' && out[0] <= '9') || out[0] == '-' || out[0] == '.') out = "arg_" + out;
  return out;
}

}  // namespace

// "(%a: T {…}, …) -> (T {…}, …) attributes {…}" up to the body's brace.
Result<MlirLowering::Header> MlirLowering::pretty_header(MlirLexer& lexer) {
  Header out;
  MlirParser parser(lexer, types_);
  TRY_VOID(lexer.expect("("));
  TRY(out.arguments, parser.arguments(out.argument_attributes));
  if (lexer.accept("->")) {
    if (lexer.accept("(")) {
      while (!lexer.accept(")")) {
        TRY(out.results.emplace_back(), types_.read(lexer));
        out.result_attributes.emplace_back();
        if (lexer.starts_with("{")) {
          TRY(out.result_attributes.back(), lexer.bracket());
        }
        TRY_VOID(parser.location(nullptr));
        if (!lexer.accept(",") && !lexer.starts_with(")")) return lexer.expected("',' or ')'");
      }
    } else {
      TRY(out.results.emplace_back(), types_.read(lexer));
      out.result_attributes.emplace_back();
    }
  }
  if (lexer.accept_word("attributes")) TRY_VOID(lexer.bracket());
  TRY_VOID(lexer.expect("{"));
  return out;
}

Result<MlirLowering::Header> MlirLowering::header(const MlirFunction& f, MlirLexer& lexer, MlirOp& generic) {
  lexer.rewind(f.header);
  if (!f.generic) return pretty_header(lexer);
  MlirParser parser(lexer, types_);
  TRY(generic, parser.op());
  if (generic.regions.size() != 1) return lexer_.error_at(f.place, "a function without a body");
  Header out;
  out.arguments = generic.regions[0].arguments;
  if (const std::string_view said = generic.attribute("arg_attrs"); !said.empty()) {
    TRY(out.argument_attributes, mlir_parts(lexer_, said));
  }
  if (const std::string_view said = generic.attribute("res_attrs"); !said.empty()) {
    TRY(out.result_attributes, mlir_parts(lexer_, said));
  }
  out.argument_attributes.resize(out.arguments.size());
  return out;
}

// As many instructions as parameters and lines, as a rule. A function may be one of many.
void MlirLowering::reserve_for(MlirScope& scope, size_t parameters) {
  constexpr size_t kMostReserved = 1 << 18;
  if (!lines_in_text_) {
    const std::string_view all = lexer_.between(0, std::string_view::npos);
    lines_in_text_ = static_cast<size_t>(std::count(all.begin(), all.end(), '\n'));
  }
  const size_t lines = std::min(*lines_in_text_, kMostReserved) / module_.functions.size() + parameters;
  scope.into->made.instructions.reserve(lines + 1);  // the tuple of its results
  scope.names.reserve(lines);
}

Result<ComputationId> MlirLowering::lower_function(const MlirFunction& f, const MlirScope& caller) {
  MlirLexer lexer = lexer_;
  MlirOp generic;
  TRY(const Header head, header(f, lexer, generic));
  MlirComputation made;
  MlirScope scope;
  scope.into = &made;
  scope.manual = caller.manual;
  scope.mesh = caller.mesh;
  scope.of_elements = caller.of_elements;
  const bool entry = open_functions_.size() == 1;
  if (entry) TRY_VOID(describe_entry(head));
  reserve_for(scope, head.arguments.size());
  TRY_VOID(parameters(scope, head, entry));
  std::vector<InstructionId> results;
  if (f.generic) {
    TRY(results, body(scope, generic.regions[0].body));
  } else {
    // One operation at a time: only what a region holds is kept as a tree.
    MlirParser parser(lexer, types_);
    MlirOp op;
    for (bool returned = false; !returned;) {
      if (lexer.peek() == '}') return lexer.error_at(lexer.position(), "a function ends without returning");
      TRY_VOID(parser.next(op));
      if (is_mlir_return(op.name)) {
        TRY(results, body(scope, {op}));
        returned = true;
      } else {
        TRY_VOID(one(scope, op));
      }
    }
    if (!lexer.starts_with("}")) return lexer.expected("'}' behind the return");
  }
  if (!f.generic && results.size() != head.results.size())
    return lexer_.error_at(f.place, "returns " + std::to_string(results.size()) +
                                        " values, its header says " + std::to_string(head.results.size()));
  for (size_t k = 0; k < head.results.size(); ++k)
    if (const Shape& given = made.made.at(results[k]).shape; !same_shape(given, *head.results[k]))
      return lexer_.error_at(f.place,
                             "returns " + given.text() + ", its header says " + head.results[k]->text());
  for (size_t k = 0; k < results.size() && k < head.result_attributes.size(); ++k) {
    TRY(results[k], result_with_attributes(scope, results[k], head.result_attributes[k]));
  }
  return close(std::move(made), plain_name(f.name), std::move(results));
}

Result<void> MlirLowering::parameters(MlirScope& scope, const Header& head, bool entry) {
  for (size_t k = 0; k < head.arguments.size(); ++k) {
    const MlirArgument& argument = head.arguments[k];
    if (argument.type == nullptr)
      return lexer_.error_at(lexer_.place_of(argument.name), "an argument without a type");
    Instruction p = instruction(Opcode::parameter, *argument.type, {});
    p.parameter_number = static_cast<int64_t>(k);
    const std::string name = plain_name(argument.name);
    p.line = lines_.line_at(lexer_.place_of(argument.name));
    const bool own = entry && name == argument.name && name.find('.') == std::string::npos;
    p.name = own ? name : unique(name);
    if (!head.argument_attributes[k].empty()) {
      TRY(const std::vector<MlirAttribute> said, mlir_entries(lexer_, head.argument_attributes[k]));
      TRY_VOID(annotator_.attributes(said, scope.manual, p));
    }
    annotator_.location(argument.location, p);
    if (scope.names.contains(argument.name))
      return lexer_.error_at(lexer_.place_of(argument.name),
                             "argument '%" + std::string(argument.name) + "' is there twice");
    scope.names[argument.name] = {emit(scope, std::move(p)), -1};
  }
  return {};
}

// A sharding that is said of a result stands on an annotation behind it.
Result<InstructionId> MlirLowering::result_with_attributes(MlirScope& scope, InstructionId result,
                                                           std::string_view said) {
  if (said.empty()) return result;
  Instruction annotation = instruction(Opcode::custom_call, scope.into->made.at(result).shape, {result});
  const bool in_shardys_words = said.find("sdy.sharding") != std::string_view::npos;
  annotation.attributes = CustomCall{in_shardys_words ? "xla.sdy.FuncResultSharding" : "Sharding"};
  TRY(std::vector<MlirAttribute> entries, mlir_entries(lexer_, said));
  std::erase_if(entries, [](const MlirAttribute& a) { return a.key == kResultInfo; });
  TRY_VOID(annotator_.attributes(entries, scope.manual, annotation));
  const bool says = annotation.sharding || !annotation.verbatim.empty();
  return says ? emit(scope, std::move(annotation)) : result;
}

// What JAX calls the results, and which parameters' memory they may take: of the module, as HLO has it.
Result<void> MlirLowering::describe_entry(const Header& head) {
  std::vector<std::string> names, aliases, donors;
  for (const std::string_view said : head.result_attributes) {
    TRY(const std::vector<MlirAttribute> entries, mlir_entries(lexer_, said));
    const auto name = std::ranges::find(entries, kResultInfo, &MlirAttribute::key);
    if (name != entries.end()) names.push_back(mlir_string(name->value));
  }
  const bool tuple = head.result_attributes.size() != 1;
  for (size_t k = 0; k < head.argument_attributes.size(); ++k) {
    TRY(const std::vector<MlirAttribute> entries, mlir_entries(lexer_, head.argument_attributes[k]));
    for (const MlirAttribute& a : entries) {
      if (a.key == "jax.buffer_donor" && a.value != "false")
        donors.push_back("(" + std::to_string(k) + ", {})");
      if (a.key != "tf.aliasing_output") continue;
      TRY(const MlirNumbers output, read_mlir_numbers(lexer_, a.value));
      const bool fits = output.numbers.size() == 1 && output.numbers[0] >= 0 &&
                        output.numbers[0] < static_cast<int64_t>(head.result_attributes.size());
      if (!fits) return lexer_.error_at(lexer_.place_of(a.value), "expected the number of a result");
      aliases.push_back("{" + (tuple ? std::to_string(output.numbers[0]) : "") + "}: (" + std::to_string(k) +
                        ", {}, may-alias)");
    }
  }
  auto& verbatim = program_.verbatim;
  if (!donors.empty()) verbatim.insert(verbatim.begin(), {"buffer_donor", "{ " + join(donors, ", ") + " }"});
  if (!aliases.empty())
    verbatim.insert(verbatim.begin(), {"input_output_alias", "{ " + join(aliases, ", ") + " }"});
  if (names.empty() || names.size() != head.result_attributes.size()) return {};
  for (std::string& name : names) name = quote(name);
  verbatim = with_frontend_attribute(std::move(verbatim), kResultInfo, "[" + join(names, ", ") + "]");
  return {};
}

}  // namespace shardscope::inline program
