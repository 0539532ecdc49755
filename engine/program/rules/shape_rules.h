// SPDX-License-Identifier: Apache-2.0
// HLO's shape rules, one function per group of opcodes.
#pragma once

#include <string>
#include <string_view>

#include "engine/program/ir/program.h"

namespace shardscope {

// One instruction under test. Its operands stand before it and all shapes in the computation are sound by
// themselves.
struct InstructionCheck {
  const Program& program;
  const Computation& computation;
  const Instruction& instruction;

  Error error(const std::string& rule) const;  // "all-gather 'ag.1': rule"
  const Shape& operand(size_t k) const { return computation.at(instruction.operands[k]).shape; }
  size_t operand_count() const { return instruction.operands.size(); }
  Result<void> operands(size_t count) const;
  Result<void> array_operands() const;  // none is a tuple
  // The instruction's own shape is `expected`, layouts aside.
  Result<void> shape_is(const Shape& expected) const;
  // `dimension` of an array of `rank` dimensions.
  Result<void> dimension(int64_t dimension, size_t rank) const;
};

bool same_shape(const Shape& a, const Shape& b);  // layouts aside

Result<void> check_elementwise(const InstructionCheck& c);
Result<void> check_data_movement(const InstructionCheck& c);  // reshape, slice, concatenate, tuple, …
Result<void> check_dot(const InstructionCheck& c);
Result<void> check_reduce(const InstructionCheck& c);
// to_apply takes two scalars of the type of each of the first `arrays` operands and gives one of each.
Result<void> check_scalar_callee(const InstructionCheck& c, size_t arrays);
Result<void> check_indexing(
    const InstructionCheck& c);  // pad, gather, sort, windows, convolution, conditional
Result<void> check_collective(const InstructionCheck& c);
Result<void> check_ragged_dot(const InstructionCheck& c);
Result<void> check_ragged_all_to_all(const InstructionCheck& c);
// Every device of the mesh is in one replica group.
Result<void> check_groups(const InstructionCheck& c);
Result<void> check_calls(const InstructionCheck& c);  // call, fusion, while

}  // namespace shardscope
