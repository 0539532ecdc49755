// SPDX-License-Identifier: Apache-2.0
// Rows of StableHLO's operations on elements and places.
#include <algorithm>
#include <numeric>

#include "engine/program/mlir/stablehlo_ops.h"

namespace shardscope::inline program {
namespace {

Result<void> lower_plain(MlirCase& c) {
  return c.give_plain();
}

Result<void> lower_constant(MlirCase& c) {
  TRY(const Shape shape, c.result());
  TRY(std::string_view text, c.text({"value"}));
  if (text.empty()) text = c.word('d');
  if (text.empty()) return c.error("needs a value: dense<…>");
  TRY(MlirLiteral literal, read_mlir_literal(c.all.lexer(), c.all.module(), text, shape));
  const bool spread = literal.splat && shape.rank() > 0;
  Instruction made = c.make(Opcode::constant, spread ? Shape::scalar(shape.type) : shape, {});
  made.literal = std::move(literal.text);
  if (!spread) return c.give(std::move(made));
  const InstructionId scalar = c.emit(std::move(made));
  return c.give(c.make(Opcode::broadcast, shape, {scalar}));
}

Result<void> lower_iota(MlirCase& c) {
  TRY(Shape shape, c.result());
  TRY(const auto dim, c.number({"dim", "iota_dimension"}));
  Instruction made = c.make(Opcode::iota, std::move(shape), {});
  made.dimensions = {dim.value_or(0)};
  return c.give(std::move(made));
}

// A size of one that grows is taken out first: HLO's broadcast keeps sizes.
Result<void> lower_broadcast_in_dim(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(const Shape shape, c.result());
  TRY(const std::vector<int64_t> dims, c.numbers({"dims", "broadcast_dimensions"}));
  const Shape from = c.shape(0);
  if (from.is_tuple || dims.size() != from.rank())
    return c.error(std::to_string(dims.size()) + " dimensions, expected one for each of " + from.text());
  std::vector<int64_t> kept, sizes;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0 || dims[d] >= static_cast<int64_t>(shape.rank()))
      return c.error("dimension " + std::to_string(dims[d]) + " of " + shape.text());
    const int64_t size = shape.dims[static_cast<size_t>(dims[d])];
    if (from.dims[d] != size && from.dims[d] != 1)
      return c.error(from.text() + " to " + shape.text() + ": sizes differ");
    if (from.dims[d] != size) continue;
    kept.push_back(dims[d]);
    sizes.push_back(size);
  }
  InstructionId operand = c.operands[0];
  if (kept.size() != dims.size())
    operand = c.emit(c.make(Opcode::reshape, Shape::array(from.type, std::move(sizes)), {operand}));
  // HLO wants them ascending.
  std::vector<int64_t> order(kept.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t k) { return kept[static_cast<size_t>(k)]; });
  if (!std::ranges::is_sorted(kept)) {
    const Shape& now = c.scope.into->made.at(operand).shape;
    Instruction turned = c.make(Opcode::transpose, now, {operand});
    for (size_t k = 0; k < order.size(); ++k) turned.shape.dims[k] = now.dims[static_cast<size_t>(order[k])];
    turned.dimensions = order;
    std::ranges::sort(kept);
    operand = c.emit(std::move(turned));
  }
  Instruction made = c.make(Opcode::broadcast, shape, {operand});
  made.dimensions = std::move(kept);
  return c.give(std::move(made));
}

// The new dimensions stand in front.
Result<void> lower_broadcast(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(Shape shape, c.result());
  const size_t rank = c.shape(0).rank();
  if (shape.rank() < rank) return c.error("a result of fewer dimensions");
  Instruction made = c.make(Opcode::broadcast, std::move(shape), c.operands);
  std::vector<int64_t> last(rank);
  std::iota(last.begin(), last.end(), static_cast<int64_t>(made.shape.rank() - rank));
  made.dimensions = std::move(last);
  return c.give(std::move(made));
}

Result<void> lower_with_dimensions(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(c.opcode, std::move(shape), c.operands);
  TRY(made.dimensions, c.numbers({"dims", "permutation", "dimensions", "dim", "dimension"}));
  return c.give(std::move(made));
}

// "[0:4, 2:8:2]", or three lists.
Result<void> lower_slice(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::slice, std::move(shape), c.operands);
  if (const std::string_view text = c.word('['); !text.empty()) {
    TRY(const std::vector<std::string_view> parts, mlir_parts(c.all.lexer(), text));
    for (const std::string_view part : parts) {
      MlirLexer lexer = c.all.lexer().within(part);
      SliceDim dim;
      TRY(dim.start, lexer.expect_integer("a start"));
      TRY_VOID(lexer.expect(":"));
      TRY(dim.limit, lexer.expect_integer("a limit"));
      if (lexer.accept(":")) {
        TRY(dim.stride, lexer.expect_integer("a stride"));
      }
      made.slice.edit().push_back(dim);
    }
  } else {
    TRY(const std::vector<int64_t> starts, c.numbers({"start_indices"}));
    TRY(const std::vector<int64_t> limits, c.numbers({"limit_indices"}));
    TRY(const std::vector<int64_t> strides, c.numbers({"strides"}));
    if (limits.size() != starts.size() || strides.size() != starts.size())
      return c.error("start_indices, limit_indices and strides of different lengths");
    for (size_t d = 0; d < starts.size(); ++d)
      made.slice.edit().push_back({starts[d], limits[d], strides[d]});
  }
  return c.give(std::move(made));
}

Result<void> lower_pad(MlirCase& c) {
  TRY(Shape shape, c.result());
  TRY(const std::vector<int64_t> low, c.numbers({"low", "edge_padding_low"}));
  TRY(const std::vector<int64_t> high, c.numbers({"high", "edge_padding_high"}));
  TRY(const std::vector<int64_t> interior, c.numbers({"interior", "interior_padding"}));
  if (low.size() != high.size() || low.size() != interior.size())
    return c.error("low, high and interior of different lengths");
  Padding padding;
  for (size_t d = 0; d < low.size(); ++d) padding.dims.push_back({low[d], high[d], interior[d]});
  Instruction made = c.make(Opcode::pad, std::move(shape), c.operands);
  made.attributes = std::move(padding);
  return c.give(std::move(made));
}

Result<void> lower_dynamic_slice(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::dynamic_slice, std::move(shape), c.operands);
  TRY(made.dynamic_slice_sizes, c.numbers({"sizes", "slice_sizes"}));
  return c.give(std::move(made));
}

Result<void> lower_compare(MlirCase& c) {
  TRY(Shape shape, c.result());
  constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  TRY(const std::string_view said, c.text({"comparison_direction"}));
  Instruction made = c.make(Opcode::compare, std::move(shape), c.operands);
  for (size_t k = 0; k < std::size(kDirections); ++k) {
    const bool here = said.empty() ? std::ranges::count(c.op.words, kDirections[k]) > 0
                                   : said.find(kDirections[k]) != std::string_view::npos;
    if (here) made.attributes = static_cast<CompareDirection>(k);
  }
  if (std::holds_alternative<std::monostate>(*made.attributes))
    return c.error("needs a direction: EQ, NE, LT, LE, GT or GE");
  TRY(const std::string_view type, c.text({"compare_type"}));
  for (const std::string_view kind : {"TOTALORDER"})
    if (std::ranges::count(c.op.words, kind) > 0 || type.find(kind) != std::string_view::npos)
      made.verbatim.edit().push_back({"type", std::string(kind)});
  return c.give(std::move(made));
}

// Scalars among arrays are spread first.
Result<void> lower_select(MlirCase& c) {
  TRY_VOID(c.expects(3));
  TRY(Shape shape, c.result());
  for (InstructionId& operand : c.operands) operand = c.broadcast(operand, shape);
  return c.give(c.make(c.opcode, std::move(shape), c.operands));
}

Result<void> lower_reduce_precision(MlirCase& c) {
  TRY(Shape shape, c.result());
  Precision left;
  TRY(const auto exponent, c.number({"exponent_bits"}));
  TRY(const auto mantissa, c.number({"mantissa_bits"}));
  left.exponent_bits = exponent.value_or(-1);
  left.mantissa_bits = mantissa.value_or(-1);
  const std::string_view format = c.op.attribute("format");  // e8m7
  if (!format.empty() && format.front() == 'e') {
    MlirLexer lexer = c.all.lexer().within(format.substr(1));
    TRY(left.exponent_bits, lexer.expect_integer("bits of the exponent"));
    TRY_VOID(lexer.expect("m"));
    TRY(left.mantissa_bits, lexer.expect_integer("bits of the mantissa"));
  }
  Instruction made = c.make(Opcode::reduce_precision, std::move(shape), c.operands);
  made.attributes = left;
  return c.give(std::move(made));
}

Result<void> lower_tuple_element(MlirCase& c) {
  TRY(Shape shape, c.result());
  TRY(auto index, c.number({"index"}));
  if (const std::string_view text = c.word('['); !text.empty()) {
    TRY(const MlirNumbers numbers, read_mlir_numbers(c.all.lexer(), text));
    if (numbers.numbers.size() == 1) index = numbers.numbers.front();
  }
  Instruction made = c.make(Opcode::get_tuple_element, std::move(shape), c.operands);
  made.tuple_index = index.value_or(0);
  return c.give(std::move(made));
}

Result<void> lower_tuple(MlirCase& c) {
  std::vector<Shape> shapes;
  for (size_t k = 0; k < c.operands.size(); ++k) shapes.push_back(c.shape(k));
  return c.give(c.make(Opcode::tuple, Shape::tuple(std::move(shapes)), c.operands));
}

// HLO's barrier holds one value, a tuple of several.
Result<void> lower_barrier(MlirCase& c) {
  TRY_VOID(c.expects(1));
  const bool one = c.operands.size() == 1;
  const InstructionId held = one ? c.operands[0] : c.all.tuple(c.scope, c.operands);
  return c.give(c.make(Opcode::optimization_barrier, c.scope.into->made.at(held).shape, {held}));
}

constexpr StablehloOp kArrayRows[] = {
    {"abs", Opcode::abs, lower_plain},
    {"add", Opcode::add, lower_plain},
    {"after_all", Opcode::after_all, lower_plain},
    {"and", Opcode::and_, lower_plain},
    {"bitcast_convert", Opcode::bitcast_convert, lower_plain},
    {"broadcast", Opcode::broadcast, lower_broadcast},
    {"broadcast_in_dim", Opcode::broadcast, lower_broadcast_in_dim},
    {"ceil", Opcode::ceil, lower_plain},
    {"clamp", Opcode::clamp, lower_select},
    {"compare", Opcode::compare, lower_compare},
    {"concatenate", Opcode::concatenate, lower_with_dimensions},
    {"constant", Opcode::constant, lower_constant},
    {"convert", Opcode::convert, lower_plain},
    {"copy", Opcode::copy, lower_plain},
    {"create_token", Opcode::after_all, lower_plain},
    {"divide", Opcode::divide, lower_plain},
    {"dynamic_slice", Opcode::dynamic_slice, lower_dynamic_slice},
    {"dynamic_update_slice", Opcode::dynamic_update_slice, lower_plain},
    {"floor", Opcode::floor, lower_plain},
    {"get_tuple_element", Opcode::get_tuple_element, lower_tuple_element},
    {"iota", Opcode::iota, lower_iota},
    {"is_finite", Opcode::is_finite, lower_plain},
    {"maximum", Opcode::maximum, lower_plain},
    {"minimum", Opcode::minimum, lower_plain},
    {"multiply", Opcode::multiply, lower_plain},
    {"negate", Opcode::negate, lower_plain},
    {"not", Opcode::not_, lower_plain},
    {"optimization_barrier", Opcode::optimization_barrier, lower_barrier},
    {"or", Opcode::or_, lower_plain},
    {"pad", Opcode::pad, lower_pad},
    {"power", Opcode::power, lower_plain},
    {"reduce_precision", Opcode::reduce_precision, lower_reduce_precision},
    {"remainder", Opcode::remainder, lower_plain},
    {"reshape", Opcode::reshape, lower_plain},
    {"reverse", Opcode::reverse, lower_with_dimensions},
    {"round_nearest_afz", Opcode::round_nearest_afz, lower_plain},
    {"round_nearest_even", Opcode::round_nearest_even, lower_plain},
    {"select", Opcode::select, lower_select},
    {"shift_left", Opcode::shift_left, lower_plain},
    {"shift_right_arithmetic", Opcode::shift_right_arithmetic, lower_plain},
    {"shift_right_logical", Opcode::shift_right_logical, lower_plain},
    {"sdy.constant", Opcode::constant, lower_constant},
    {"sign", Opcode::sign, lower_plain},
    {"slice", Opcode::slice, lower_slice},
    {"subtract", Opcode::subtract, lower_plain},
    {"transpose", Opcode::transpose, lower_with_dimensions},
    {"tuple", Opcode::tuple, lower_tuple},
    {"xor", Opcode::xor_, lower_plain},
};

}  // namespace

std::span<const StablehloOp> stablehlo_array_ops() {
  return kArrayRows;
}

}  // namespace shardscope::inline program
