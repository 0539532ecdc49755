// SPDX-License-Identifier: Apache-2.0
// Calls of XLA's backends that are memory, the ends of a collective, or one of HLO's operations.
#include "engine/numerics/plan/library_writing.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline numerics {
namespace {

InstructionId zeros(const Shape& shape, CallWriting& w) {
  if (!shape.is_tuple) return w.filled(0, shape);
  std::vector<InstructionId> parts;
  for (const Shape& part : shape.elements) parts.push_back(zeros(part, w));
  return w.add(Opcode::tuple, shape, std::move(parts));
}

InstructionId write_memory(const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, ElementType::f32);
  return zeros(call.shape, w);
}

// The collective that begins is done at once; what else is carried to its end is the compiler's own.
InstructionId write_start(const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, ElementType::f32);
  const Shape done = writer.shape(call.operands[0]);
  std::vector<InstructionId> parts;
  for (const Shape& part : call.shape.elements)
    parts.push_back(part.dims == done.dims && part.type == done.type ? call.operands[0] : zeros(part, w));
  return w.add(Opcode::tuple, call.shape, std::move(parts));
}

InstructionId write_done(const Instruction& call, const CallWriter&) {
  return call.operands[1];
}

InstructionId write_solve(const Instruction& call, TriangularSides sides, std::vector<InstructionId> operands,
                          const CallWriter& writer) {
  const Shape& shape = first_of(call.shape);
  CallWriting w(call, writer, shape.type);
  Instruction made;
  made.opcode = Opcode::triangular_solve;
  made.shape = Shape::array(shape.type, shape.dims);
  made.operands = std::move(operands);
  made.attributes = sides;
  return w.finished(w.add(std::move(made)));
}

InstructionId write_triangular_solve(const Instruction& call, const CallWriter& writer) {
  const auto says = [&](std::string_view key) { return config_word(call, key) == "true"; };
  using Transpose = TriangularSides::Transpose;
  const std::string_view turned = config_word(call, "transpose_a");
  return write_solve(call,
                     {says("left_side"), says("lower"), says("unit_diagonal"),
                      turned == "TRANSPOSE" ? Transpose::transpose
                      : turned == "ADJOINT" ? Transpose::adjoint
                                            : Transpose::none},
                     {call.operands[0], call.operands[1]}, writer);
}

// The inverse is what solves for the unit matrix.
InstructionId write_inverse(const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, call.shape.type);
  const size_t rank = call.shape.rank();
  const auto places = [&](size_t d) {
    Instruction made;
    made.opcode = Opcode::iota;
    made.shape = Shape::array(ElementType::s32, call.shape.dims);
    made.dimensions = {static_cast<int64_t>(d)};
    return w.add(std::move(made));
  };
  Instruction same;
  same.opcode = Opcode::compare;
  same.shape = Shape::array(ElementType::pred, call.shape.dims);
  same.operands = {places(rank - 2), places(rank - 1)};
  same.attributes = CompareDirection::eq;
  const InstructionId unit = w.converted(w.add(std::move(same)), call.shape.type);
  return write_solve(
      call,
      {true, custom_target(call) == CustomTarget::invert_lower, false, TriangularSides::Transpose::none},
      {call.operands[0], unit}, writer);
}

// XLA:TPU has 64 bits in two arrays of 32.
InstructionId write_split(const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, call.shape.type);
  const bool high = custom_target(call) == CustomTarget::split_high;
  const InstructionId x = call.operands[0];
  const Shape whole = writer.shape(x), half = Shape::array(call.shape.type, call.shape.dims);
  const auto like = [&](Opcode opcode, InstructionId a, InstructionId b) {
    return w.add(opcode, Shape::array(whole.type, whole.dims), {a, b});
  };
  if (is_complex(whole.type)) return w.add(high ? Opcode::imag : Opcode::real, half, {x});
  if (is_floating(whole.type)) {
    const InstructionId first = w.converted(x, half.type);
    return high ? first : w.converted(like(Opcode::subtract, x, w.converted(first, whole.type)), half.type);
  }
  if (!high) return w.converted(x, half.type);
  return w.converted(like(Opcode::shift_right_logical, x, w.filled(32, whole)), half.type);
}

InstructionId write_combine(const Instruction& call, const CallWriter& writer) {
  const Shape whole = Shape::array(call.shape.type, call.shape.dims);
  CallWriting w(call, writer, whole.type);
  const InstructionId low = call.operands[0], high = call.operands[1];
  if (is_complex(whole.type)) return w.add(Opcode::complex, whole, {low, high});
  const InstructionId a = w.converted(low, whole.type), b = w.converted(high, whole.type);
  if (is_floating(whole.type)) return w.add(Opcode::add, whole, {a, b});
  return w.add(Opcode::or_, whole, {a, w.add(Opcode::shift_left, whole, {b, w.filled(32, whole)})});
}

// The room that a tile has behind an array, as zeros.
InstructionId write_zero_crop(const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, call.shape.type);
  return w.sized(call.operands[0], call.shape.dims);
}

InstructionId write_cholesky(const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, call.shape.type);
  Instruction made;
  made.opcode = Opcode::cholesky;
  made.shape = Shape::array(call.shape.type, call.shape.dims);
  made.operands = {call.operands[0]};
  made.attributes = CholeskySide{true};
  return w.add(std::move(made));
}

bool same_but_for_sizes(const Shape& a, const Shape& b) {
  return !a.is_tuple && !b.is_tuple && a.type == b.type && a.rank() == b.rank();
}

}  // namespace

std::optional<LibraryCall> library_memory(const Computation& c, const Instruction& call) {
  const size_t operands = call.operands.size();
  const auto like_first = [&] {
    return operands == 1 && !call.shape.is_tuple && call.shape.rank() >= 2 &&
           same_shape(c.at(call.operands[0]).shape, call.shape);
  };
  const auto has_dims_of_all = [&] {
    return !call.shape.is_tuple && std::ranges::all_of(call.operands, [&](InstructionId operand) {
      return !c.at(operand).shape.is_tuple && c.at(operand).shape.dims == call.shape.dims;
    });
  };
  switch (custom_target(call)) {
    case CustomTarget::allocate:
      return operands == 0 ? std::optional<LibraryCall>(&write_memory) : std::nullopt;
    case CustomTarget::async_start:
      return operands == 1 && call.shape.is_tuple && !c.at(call.operands[0]).shape.is_tuple
                 ? std::optional<LibraryCall>(&write_start)
                 : std::nullopt;
    case CustomTarget::async_done:
      return operands > 1 && same_shape(c.at(call.operands[1]).shape, call.shape)
                 ? std::optional<LibraryCall>(&write_done)
                 : std::nullopt;
    case CustomTarget::split_low:
    case CustomTarget::split_high:
      return operands == 1 && has_dims_of_all() ? std::optional<LibraryCall>(&write_split) : std::nullopt;
    case CustomTarget::combine:
      return operands == 2 && has_dims_of_all() ? std::optional<LibraryCall>(&write_combine) : std::nullopt;
    case CustomTarget::zero_crop:
      return operands == 1 && same_but_for_sizes(c.at(call.operands[0]).shape, call.shape)
                 ? std::optional<LibraryCall>(&write_zero_crop)
                 : std::nullopt;
    case CustomTarget::triangular_solve:
      return operands == 2 ? std::optional<LibraryCall>(&write_triangular_solve) : std::nullopt;
    case CustomTarget::invert_lower:
    case CustomTarget::invert_upper:
      return like_first() ? std::optional<LibraryCall>(&write_inverse) : std::nullopt;
    case CustomTarget::cholesky:
      return like_first() ? std::optional<LibraryCall>(&write_cholesky) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace shardscope::inline numerics
