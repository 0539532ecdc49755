// SPDX-License-Identifier: Apache-2.0
// Rows of operations that HLO has and that the table of operations only names: what they say of themselves
// goes with them as text.
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/mlir/stablehlo_ops.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

// HLO's name is StableHLO's with '-'.
Instruction named(const MlirCase& c, Shape shape, std::vector<InstructionId> operands) {
  Instruction made = c.make(Opcode::unknown, std::move(shape), std::move(operands));
  std::string name(c.op.name.substr(c.op.name.find('.') + 1));
  std::ranges::replace(name, '_', '-');
  made.opcode_name = std::move(name);
  return made;
}

void say(Instruction& made, const char* key, std::string value) {
  made.verbatim.edit().push_back({std::string(key), std::move(value)});
}

// "key=true" where the operation says so.
Result<void> say_if_true(const MlirCase& c, const char* key, Instruction& made) {
  TRY(const std::string_view text, c.text({key}));
  if (text.starts_with("true")) say(made, key, "true");
  return {};
}

Result<void> lower_map(MlirCase& c) {
  TRY(Shape shape, c.result());
  if (c.op.regions.size() != 1) return c.error("needs a region");
  Instruction made = c.make(Opcode::map, std::move(shape), c.operands);
  TRY(made.dimensions, c.numbers({"dimensions"}));
  TRY(const ComputationId called, closed_region(c, c.op.regions[0], "region"));
  made.called = {{"to_apply", called}};
  return c.give(std::move(made));
}

// Its third operand is its shape, which HLO says anyway.
Result<void> lower_rng(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  Instruction made = named(c, std::move(shape), {c.operands[0], c.operands[1]});
  TRY(const std::string_view said, c.text({"distribution", "rng_distribution"}));
  say(made, "distribution", said.find("NORMAL") == std::string_view::npos ? "rng_uniform" : "rng_normal");
  return c.give(std::move(made));
}

Result<bool> is_said(const MlirCase& c, std::string_view key) {
  TRY(const std::string_view text, c.text({key}));
  return text.starts_with("true");
}

Result<void> lower_cholesky(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::cholesky, std::move(shape), c.operands);
  CholeskySide side;
  TRY(side.lower, is_said(c, "lower"));
  made.attributes = side;
  return c.give(std::move(made));
}

Result<void> lower_triangular_solve(MlirCase& c) {
  using Transpose = TriangularSides::Transpose;
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::triangular_solve, std::move(shape), c.operands);
  TriangularSides sides;
  TRY(sides.left_side, is_said(c, "left_side"));
  TRY(sides.lower, is_said(c, "lower"));
  TRY(sides.unit_diagonal, is_said(c, "unit_diagonal"));
  TRY(const std::string_view said, c.text({"transpose_a"}));
  for (const auto& [word, transpose] :
       {std::pair("NO_TRANSPOSE", Transpose::none), std::pair("TRANSPOSE", Transpose::transpose),
        std::pair("ADJOINT", Transpose::adjoint)}) {
    if (said.find(word) == std::string_view::npos) continue;
    sides.transpose = transpose;
    break;
  }
  made.attributes = sides;
  return c.give(std::move(made));
}

// "1.000000e-03 : f32" as HLO writes it.
Result<void> lower_batch_norm(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = named(c, std::move(shape), c.operands);
  TRY(const std::string_view epsilon, c.text({"epsilon"}));
  const auto number = parse_double(trim(epsilon.substr(0, epsilon.find(':'))));
  if (!number) return c.error("epsilon, expected a number");
  say(made, "epsilon", fmt::format("{:g}", *number));
  TRY(const auto feature, c.number({"feature_index"}));
  say(made, "feature_index", std::to_string(feature.value_or(0)));
  return c.give(std::move(made));
}

Result<void> lower_dimension_size(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::get_dimension_size, std::move(shape), c.operands);
  TRY(const auto dimension, c.number({"dim", "dimension"}));
  made.dimensions = {dimension.value_or(0)};
  return c.give(std::move(made));
}

InstructionId element(MlirCase& c, InstructionId tuple, int64_t index) {
  const Shape from = c.scope.into->made.at(tuple).shape;
  Instruction made =
      c.make(Opcode::get_tuple_element, Shape(from.elements[static_cast<size_t>(index)]), {tuple});
  made.tuple_index = index;
  return c.emit(std::move(made));
}

// What comes in: values, then a token. HLO has them in a tuple and, where there are several, in one of its
// own.
Result<void> give_received(MlirCase& c, InstructionId received, size_t values, bool tuple_of_one) {
  std::vector<InstructionId> out;
  const InstructionId data = values == 0 ? received : element(c, received, 0);
  for (size_t k = 0; k < values; ++k)
    out.push_back(values == 1 && !tuple_of_one ? data : element(c, data, static_cast<int64_t>(k)));
  const size_t last = c.scope.into->made.at(received).shape.elements.size() - 1;
  out.push_back(element(c, received, static_cast<int64_t>(last)));
  return c.all.bind_each(c.scope, c.op, out);
}

// The results that come in, the token aside.
Result<std::vector<Shape>> received_shapes(const MlirCase& c) {
  std::vector<Shape> out = c.results();
  if (out.empty() || out.back().type != ElementType::token)
    return c.error("expected a token as its last result");
  out.pop_back();
  return out;
}

Result<void> say_config(const MlirCase& c, const char* key, Instruction& made) {
  TRY(const std::string_view said, c.text({key}));
  if (const std::string text = mlir_string(said); !text.empty()) say(made, key, quote(text));
  return {};
}

Result<void> lower_infeed(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(std::vector<Shape> values, received_shapes(c));
  if (values.empty()) return c.error("expected a value besides its token");
  const size_t count = values.size();
  Instruction made =
      named(c, Shape::tuple({Shape::tuple(std::move(values)), Shape(c.shape(0))}), {c.operands[0]});
  TRY_VOID(say_config(c, "infeed_config", made));
  TRY_VOID(c.all.annotate(c.op, c.scope.manual, made));
  return give_received(c, c.emit(std::move(made)), count, true);
}

// All operands but the token, as one.
InstructionId sent(MlirCase& c) {
  const std::vector<InstructionId> values(c.operands.begin(), c.operands.end() - 1);
  return values.size() == 1 ? values.front() : c.all.tuple(c.scope, values);
}

Result<void> lower_outfeed(MlirCase& c) {
  TRY_VOID(c.expects(2));
  TRY(Shape shape, c.result());
  const InstructionId data = sent(c);
  const std::string data_shape = c.scope.into->made.at(data).shape.text();
  Instruction made = named(c, std::move(shape), {data, c.operands.back()});
  say(made, "outfeed_shape", data_shape);
  TRY_VOID(say_config(c, "outfeed_config", made));
  return c.give(std::move(made));
}

Result<void> say_channel(const MlirCase& c, Instruction& made) {
  TRY(const std::string_view text, c.text({"channel_handle"}));
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(c.all.lexer(), text));
  for (const MlirAttribute& entry : entries) {
    if (entry.key != "handle") continue;
    TRY(const MlirNumbers number, read_mlir_numbers(c.all.lexer(), entry.value));
    if (number.numbers.size() == 1) made.channel_id = number.numbers[0];
  }
  return say_if_true(c, "is_host_transfer", made);
}

Instruction done(MlirCase& c, const Instruction& start, Shape shape, InstructionId of) {
  Instruction made = c.make(Opcode::unknown, std::move(shape), {of});
  made.opcode_name = *start.opcode_name + "-done";
  made.channel_id = start.channel_id;
  made.verbatim = start.verbatim;
  return made;
}

Result<void> lower_send(MlirCase& c) {
  TRY_VOID(c.expects(2));
  const InstructionId data = sent(c), token = c.operands.back();
  const Shape of_data = c.scope.into->made.at(data).shape, of_token = c.scope.into->made.at(token).shape;
  Instruction made =
      named(c, Shape::tuple({of_data, Shape::scalar(ElementType::u32), of_token}), {data, token});
  TRY_VOID(say_channel(c, made));
  Instruction end = done(c, made, of_token, InstructionId());
  TRY_VOID(c.all.annotate(c.op, c.scope.manual, made));
  end.operands = {c.emit(std::move(made))};
  return c.give(std::move(end));
}

Result<void> lower_recv(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(std::vector<Shape> values, received_shapes(c));
  if (values.empty()) return c.error("expected a value besides its token");
  const size_t count = values.size();
  const Shape token = c.shape(0);
  const Shape data = count == 1 ? values.front() : Shape::tuple(std::move(values));
  Instruction made = named(c, Shape::tuple({data, Shape::scalar(ElementType::u32), token}), {c.operands[0]});
  TRY_VOID(say_channel(c, made));
  Instruction end = done(c, made, Shape::tuple({data, token}), InstructionId());
  TRY_VOID(c.all.annotate(c.op, c.scope.manual, made));
  end.operands = {c.emit(std::move(made))};
  return give_received(c, c.emit(std::move(end)), count, false);
}

constexpr StablehloOp kNamedRows[] = {
    {"batch_norm_grad", Opcode::unknown, lower_batch_norm},
    {"batch_norm_inference", Opcode::unknown, lower_batch_norm},
    {"batch_norm_training", Opcode::unknown, lower_batch_norm},
    {"cholesky", Opcode::cholesky, lower_cholesky},
    {"get_dimension_size", Opcode::get_dimension_size, lower_dimension_size},
    {"infeed", Opcode::unknown, lower_infeed},
    {"map", Opcode::map, lower_map},
    {"outfeed", Opcode::unknown, lower_outfeed},
    {"recv", Opcode::unknown, lower_recv},
    {"rng", Opcode::unknown, lower_rng},
    {"send", Opcode::unknown, lower_send},
    {"triangular_solve", Opcode::triangular_solve, lower_triangular_solve},
};

}  // namespace

std::span<const StablehloOp> stablehlo_named_ops() {
  return kNamedRows;
}

}  // namespace shardscope::inline program
