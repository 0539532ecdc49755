// SPDX-License-Identifier: Apache-2.0
// HLO's shape rules: a function for each operation, found by shape_rule.
#pragma once

#include <string>
#include <string_view>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// One instruction under test. Its operands stand before it and all shapes in the computation are sound by
// themselves.
struct InstructionCheck {
  const Program& program;
  const Computation& computation;
  const Instruction& instruction;
  // Not null: the shape that the rule expects is wanted here, and the instruction's own is not looked at.
  Shape* inferred = nullptr;
  // Whether a compiler has scheduled the module: then what an instruction reads or writes may have another
  // precision than it computes in, as it is converted on the way (XLA:TPU leaves such conversions out), and
  // devices' sums may be made by a computation of the compiler's own.
  bool scheduled = false;

  Error error(const std::string& rule) const;  // "all-gather 'ag.1': rule"
  const Shape& operand(size_t k) const { return computation.at(instruction.operands[k]).shape; }
  size_t operand_count() const { return instruction.operands.size(); }
  Result<void> operands(size_t count) const;
  const Computation* callee(std::string_view key) const;  // null: it calls none by that key
  Result<void> arity() const;                             // as the table of operations says
  Result<void> array_operands() const;                    // none is a tuple
  // Equal, or floating-point numbers that are converted.
  bool same_type(ElementType a, ElementType b) const;
  bool same_shape(const Shape& a, const Shape& b) const;  // layouts aside
  // The instruction's own shape is `expected`, layouts aside.
  Result<void> shape_is(const Shape& expected) const;
  // `dimension` of an array of `rank` dimensions.
  Result<void> dimension(int64_t dimension, size_t rank) const;
};

bool same_shape(const Shape& a, const Shape& b);  // layouts aside
bool is_integer_scalar(const Shape& shape);
// No negative size, and few enough elements for sums of bytes to stay within int64.
bool is_sound(const Shape& shape);

// The number of operands is right when a rule is asked.
using ShapeRule = Result<void> (*)(const InstructionCheck&);
ShapeRule shape_rule(Opcode opcode);  // null: any shape is taken as it is written

Result<void> check_as_written(const InstructionCheck& c);  // parameter, constant
Result<void> check_iota(const InstructionCheck& c);
Result<void> check_place(const InstructionCheck& c);  // partition-id, replica-id
Result<void> check_tuple(const InstructionCheck& c);
Result<void> check_tuple_element(const InstructionCheck& c);
Result<void> check_like_operand(const InstructionCheck& c);  // copy, opt-barrier, domain
Result<void> check_dependency(const InstructionCheck& c);
Result<void> check_dimension_size(const InstructionCheck& c);

Result<void> check_elementwise(const InstructionCheck& c);
Result<void> check_part(const InstructionCheck& c);     // abs, real, imag
Result<void> check_complex(const InstructionCheck& c);  // of two parts
Result<void> check_compare(const InstructionCheck& c);
Result<void> check_reduce_precision(const InstructionCheck& c);
Result<void> check_is_finite(const InstructionCheck& c);
Result<void> check_convert(const InstructionCheck& c);
Result<void> check_select(const InstructionCheck& c);
Result<void> check_clamp(const InstructionCheck& c);

Result<void> check_bitcast(const InstructionCheck& c);
Result<void> check_bitcast_convert(const InstructionCheck& c);
Result<void> check_reshape(const InstructionCheck& c);
Result<void> check_transpose(const InstructionCheck& c);
Result<void> check_broadcast(const InstructionCheck& c);
Result<void> check_slice(const InstructionCheck& c);
Result<void> check_dynamic_slice(const InstructionCheck& c);
Result<void> check_dynamic_update_slice(const InstructionCheck& c);
Result<void> check_concatenate(const InstructionCheck& c);
Result<void> check_pad(const InstructionCheck& c);
Result<void> check_reverse(const InstructionCheck& c);

Result<void> check_dot(const InstructionCheck& c);
Result<void> check_ragged_dot(const InstructionCheck& c);
Result<void> check_convolution(const InstructionCheck& c);
Result<void> check_reduce(const InstructionCheck& c);
Result<void> check_reduce_window(const InstructionCheck& c);
Result<void> check_select_and_scatter(const InstructionCheck& c);
Result<void> check_cholesky(const InstructionCheck& c);
Result<void> check_triangular_solve(const InstructionCheck& c);
Result<void> check_map(const InstructionCheck& c);
Result<void> check_gather(const InstructionCheck& c);
Result<void> check_scatter(const InstructionCheck& c);
Result<void> check_sort(const InstructionCheck& c);
Result<void> check_topk(const InstructionCheck& c);
Result<void> check_fft(const InstructionCheck& c);
Result<void> check_random_bits(const InstructionCheck& c);

Result<void> check_call(const InstructionCheck& c);
Result<void> check_fusion(const InstructionCheck& c);
Result<void> check_while(const InstructionCheck& c);
Result<void> check_conditional(const InstructionCheck& c);

Result<void> check_all_gather(const InstructionCheck& c);
Result<void> check_all_reduce(const InstructionCheck& c);
Result<void> check_reduce_scatter(const InstructionCheck& c);
Result<void> check_all_to_all(const InstructionCheck& c);
Result<void> check_collective_broadcast(const InstructionCheck& c);
Result<void> check_permute(const InstructionCheck& c);
Result<void> check_ragged_all_to_all(const InstructionCheck& c);

// What several rules share. to_apply takes two scalars of the type of each of the first `arrays` operands and
// gives one of each.
Result<void> check_scalar_callee(const InstructionCheck& c, size_t arrays);
// Every device of the mesh is in one replica group.
Result<void> check_groups(const InstructionCheck& c);

}  // namespace shardscope::inline program
