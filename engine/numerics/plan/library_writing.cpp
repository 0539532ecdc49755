// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/library_writing.h"

#include <fmt/format.h>

#include "engine/program/ir/call_config.h"

namespace shardscope::inline numerics {

const Shape& first_of(const Shape& shape) {
  return shape.is_tuple && !shape.elements.empty() ? shape.elements.front() : shape;
}

std::string_view config_word(const Instruction& i, std::string_view key) {
  std::string_view text = config_behind(i, key);
  const size_t from = text.find_first_not_of("\\\": ");
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from);
  return text.substr(0, text.find_first_of("\\\",}"));
}

double config_number(const Instruction& i, std::string_view key, double otherwise) {
  std::string_view text = config_behind(i, key);
  const bool negative = text.find_first_not_of("\\\": ") != std::string_view::npos &&
                        text[text.find_first_not_of("\\\": ")] == '-';
  if (negative) text.remove_prefix(text.find('-') + 1);
  const auto number = number_at(text);
  return number ? (negative ? -*number : *number) : otherwise;
}

InstructionId CallWriting::add(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
  Instruction made;
  made.name = call_.name;
  made.opcode = opcode;
  made.shape = std::move(shape);
  made.operands = std::move(operands);
  return writer_.add(std::move(made));
}

InstructionId CallWriting::add(Instruction made) {
  made.name = call_.name;
  return writer_.add(std::move(made));
}

InstructionId CallWriting::converted(InstructionId id, ElementType type) {
  const Shape shape = Shape::array(type, writer_.shape(id).dims);
  return writer_.shape(id).type == type ? id : add(Opcode::convert, shape, {id});
}

InstructionId CallWriting::sized(InstructionId id, const std::vector<int64_t>& dims) {
  const Shape from = writer_.shape(id);
  if (from.dims == dims) return id;
  Instruction made;
  made.opcode = Opcode::pad;
  made.shape = Shape::array(from.type, dims);
  made.operands = {id, filled(0, Shape::scalar(from.type))};
  Padding padding;
  for (size_t d = 0; d < dims.size(); ++d) padding.dims.push_back({0, dims[d] - from.dims[d], 0});
  made.attributes = std::move(padding);
  return add(std::move(made));
}

InstructionId CallWriting::filled(int64_t value, const Shape& array) {
  Instruction made;
  made.opcode = Opcode::constant;
  made.shape = Shape::scalar(array.type);
  made.literal = array.type == ElementType::pred ? std::string(value != 0 ? "true" : "false")
                 : is_complex(array.type)        ? fmt::format("({}, 0)", value)
                                                 : fmt::format("{}", value);
  const InstructionId one = add(std::move(made));
  return array.dims.empty() ? one : add(Opcode::broadcast, Shape::array(array.type, array.dims), {one});
}

InstructionId CallWriting::spread(InstructionId id, InstructionId like_id, int64_t dim) {
  Instruction made;
  made.opcode = Opcode::broadcast;
  made.shape = like(like_id);
  made.operands = {converted(id, type_)};
  if (dim >= 0) made.dimensions = {dim};
  return add(std::move(made));
}

InstructionId CallWriting::number(double value, InstructionId like_id) {
  Instruction made;
  made.opcode = Opcode::constant;
  made.shape = Shape::scalar(type_);
  made.literal = fmt::format("{}", value);
  return spread(add(std::move(made)), like_id);
}

InstructionId CallWriting::op(Opcode opcode, InstructionId a, InstructionId b) {
  return add(opcode, like(a), {a, b});
}

InstructionId CallWriting::scaled(InstructionId id, double by) {
  return by == 1 ? id : op(Opcode::multiply, id, number(by, id));
}

InstructionId CallWriting::activated(InstructionId x, Activation activation) {
  if (activation == Activation::relu) return op(Opcode::maximum, x, number(0, x));
  if (activation == Activation::silu) return op(Opcode::multiply, x, add(Opcode::logistic, like(x), {x}));
  if (activation != Activation::gelu) return x;
  // The approximation by tanh, as cuBLAS computes it.
  const InstructionId cube = op(Opcode::multiply, x, op(Opcode::multiply, x, x));
  const InstructionId inner = scaled(op(Opcode::add, x, scaled(cube, 0.044715)), 0.7978845608028654);
  const InstructionId both = op(Opcode::add, add(Opcode::tanh, like(x), {inner}), number(1, x));
  return scaled(op(Opcode::multiply, x, both), 0.5);
}

InstructionId CallWriting::finished(InstructionId id) {
  id = converted(id, first_of(call_.shape).type);
  if (!call_.shape.is_tuple) return id;
  std::vector<InstructionId> parts{id};
  for (size_t k = 1; k < call_.shape.elements.size(); ++k) {
    parts.push_back(filled(0, call_.shape.elements[k]));
  }
  return add(Opcode::tuple, call_.shape, std::move(parts));
}

}  // namespace shardscope::inline numerics
