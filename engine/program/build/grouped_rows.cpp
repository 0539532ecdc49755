// SPDX-License-Identifier: Apache-2.0
#include "engine/program/build/grouped_rows.h"

#include <utility>

namespace shardscope::inline program {
namespace {

using Dims = std::vector<int64_t>;

struct Adder {
  const AddInstruction& add;

  InstructionId operator()(Opcode opcode, Shape shape, std::vector<InstructionId> operands,
                           std::optional<Dims> dimensions = {}) const {
    return add(instruction(opcode, std::move(shape), std::move(operands), std::move(dimensions)));
  }
  InstructionId compared(const Shape& shape, InstructionId a, InstructionId b, CompareDirection how) const {
    Instruction out = instruction(Opcode::compare, Shape::array(ElementType::pred, shape.dims), {a, b}, {});
    out.attributes = how;
    return add(std::move(out));
  }
  // Where each group's rows end: sums of the sizes up to its own.
  InstructionId ends(InstructionId sizes, int64_t groups) const {
    const Shape square = Shape::array(ElementType::s32, {groups, groups});
    const InstructionId group = (*this)(Opcode::iota, square, {}, Dims{0});
    const InstructionId other = (*this)(Opcode::iota, square, {}, Dims{1});
    const InstructionId before = compared(square, other, group, CompareDirection::le);
    Instruction sum = instruction(Opcode::dot, Shape::array(ElementType::s32, {groups}),
                                  {(*this)(Opcode::convert, square, {before}), sizes}, {});
    sum.dot = DotDims{{}, {}, {1}, {0}};
    return add(std::move(sum));
  }

 private:
  static Instruction instruction(Opcode opcode, Shape shape, std::vector<InstructionId> operands,
                                 std::optional<Dims> dimensions) {
    Instruction out;
    out.opcode = opcode;
    out.shape = std::move(shape);
    out.operands = std::move(operands);
    if (dimensions) out.dimensions = *std::move(dimensions);
    return out;
  }
};

}  // namespace

InstructionId rows_of_each_group(const AddInstruction& add, InstructionId rows, const Shape& shape,
                                 InstructionId sizes, int64_t groups) {
  const Adder made{add};
  const Dims dims{shape.dims[0], groups, shape.dims[1]};
  const Shape numbers = Shape::array(ElementType::s32, dims), out = Shape::array(shape.type, dims);
  const InstructionId end = made.ends(sizes, groups);
  const InstructionId begin = made(Opcode::subtract, Shape::array(ElementType::s32, {groups}), {end, sizes});
  const InstructionId row = made(Opcode::iota, numbers, {}, Dims{0});
  const auto spread = [&](InstructionId of) { return made(Opcode::broadcast, numbers, {of}, Dims{1}); };
  const InstructionId inside = made(Opcode::and_, Shape::array(ElementType::pred, dims),
                                    {made.compared(numbers, spread(begin), row, CompareDirection::le),
                                     made.compared(numbers, row, spread(end), CompareDirection::lt)});
  Instruction zero;
  zero.opcode = Opcode::constant;
  zero.shape = Shape::scalar(shape.type);
  zero.literal = "0";
  const InstructionId zeros = made(Opcode::broadcast, out, {add(std::move(zero))}, Dims{});
  return made(Opcode::select, out, {inside, made(Opcode::broadcast, out, {rows}, Dims{0, 2}), zeros});
}

DotDims over_groups() {
  return {{}, {}, {1, 2}, {0, 1}};
}

DotDims over_rows() {
  return {{}, {}, {0}, {0}};
}

}  // namespace shardscope::inline program
