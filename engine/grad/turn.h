// SPDX-License-Identifier: Apache-2.0
// The rules of derivatives, by operation.
#pragma once

#include <string>

#include "engine/grad/sweep.h"

namespace shardscope::inline grad {

// An instruction some of whose results have a cotangent, when its turn comes.
struct GradTurn {
  GradSweep& sweep;
  InstructionId id;

  const Instruction& at() const { return sweep.from().at(id); }
  GradPage& page() const { return sweep.back(); }
  size_t operand_count() const { return at().operands.size(); }
  InstructionId operand(size_t k) const { return sweep.primal(at().operands[k]); }
  const Shape& operand_shape(size_t k) const { return sweep.from().at(at().operands[k]).shape; }
  const std::vector<int64_t>& operand_dims(size_t k) const { return operand_shape(k).dims; }
  InstructionId result() const { return sweep.primal(id); }
  InstructionId bar(size_t leaf = 0) const { return sweep.bar(id, leaf); }
  bool wants(size_t k) const { return sweep.is_active(at().operands[k]); }
  void give(size_t k, InstructionId bar) const {
    if (wants(k)) sweep.give(at().operands[k], 0, bar);
  }
  Error error(const std::string& why) const;  // "sort 'sort.3' has no derivative: why"
};

// Null: the operation has no derivative here. All arrays of the result may have a cotangent, at least one
// has.
using GradRule = Result<void> (*)(const GradTurn&);
GradRule grad_rule(Opcode opcode);
// Why its derivative is not written; empty: it is, or is zero everywhere.
std::string grad_hole(Opcode opcode);
bool has_elementwise_derivative(Opcode opcode);

Result<void> grad_nothing(const GradTurn& t);  // the derivative is zero, or there is none to give
Result<void> grad_elementwise(const GradTurn& t);
Result<void> grad_convert(const GradTurn& t);
Result<void> grad_rounded(const GradTurn& t);
Result<void> grad_select(const GradTurn& t);
Result<void> grad_clamp(const GradTurn& t);
Result<void> grad_forward(const GradTurn& t);
Result<void> grad_copy(const GradTurn& t);
Result<void> grad_tuple(const GradTurn& t);
Result<void> grad_element(const GradTurn& t);

Result<void> grad_reshape(const GradTurn& t);
Result<void> grad_transpose(const GradTurn& t);
Result<void> grad_broadcast(const GradTurn& t);
Result<void> grad_slice(const GradTurn& t);
Result<void> grad_concatenate(const GradTurn& t);
Result<void> grad_pad(const GradTurn& t);
Result<void> grad_reverse(const GradTurn& t);
Result<void> grad_dynamic_slice(const GradTurn& t);
Result<void> grad_update_slice(const GradTurn& t);

Result<void> grad_dot(const GradTurn& t);
Result<void> grad_ragged_dot(const GradTurn& t);
Result<void> grad_convolution(const GradTurn& t);
Result<void> grad_reduce(const GradTurn& t);
Result<void> grad_reduce_window(const GradTurn& t);
Result<void> grad_select_and_scatter(const GradTurn& t);
Result<void> grad_gather(const GradTurn& t);
Result<void> grad_scatter(const GradTurn& t);
Result<void> grad_sort(const GradTurn& t);
Result<void> grad_top_k(const GradTurn& t);
Result<void> grad_cholesky(const GradTurn& t);
Result<void> grad_triangular_solve(const GradTurn& t);
Result<void> grad_potrf(const GradTurn& t);
Result<void> grad_getrf(const GradTurn& t);
Result<void> grad_trsm(const GradTurn& t);
Result<void> grad_fft(const GradTurn& t);

Result<void> grad_while(const GradTurn& t);
Result<void> grad_conditional(const GradTurn& t);
Result<void> grad_custom_call(const GradTurn& t);

Result<void> grad_all_reduce(const GradTurn& t);
Result<void> grad_all_gather(const GradTurn& t);
Result<void> grad_reduce_scatter(const GradTurn& t);
Result<void> grad_all_to_all(const GradTurn& t);
Result<void> grad_permute(const GradTurn& t);
Result<void> grad_collective_broadcast(const GradTurn& t);

}  // namespace shardscope::inline grad
