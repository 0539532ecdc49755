// SPDX-License-Identifier: Apache-2.0
// The rules that run instructions, by opcode. A rule reads the operands of its step and writes its results,
// on every device; data movement makes views.
#pragma once

#include <string>

#include "engine/numerics/rules/execution.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics {

using RunRule = Result<void> (*)(Step&);
Result<void> run_instruction(Step& step);  // by the table, or as the sum of dots that the plan made it

// Why an operation cannot be run; empty: it can, if not in every form.
std::string run_hole(Opcode opcode);
// The same of an instruction: what has no opcode by its name, a custom-call by its target.
std::string run_hole(const Computation& computation, const Instruction& instruction);
RunRule call_rule(const Instruction& custom_call);  // null: none of ours

// run_values.cpp
Result<void> run_parameter(Step& step);
Result<void> run_constant(Step& step);
Result<void> run_iota(Step& step);
Result<void> run_tuple(Step& step);
Result<void> run_get_tuple_element(Step& step);
Result<void> run_forward(Step& step);  // the operand itself
Result<void> run_partition_id(Step& step);
Result<void> run_zero(Step& step);  // the scalar 0, or nothing at all
Result<void> run_dimension_size(Step& step);
Result<void> run_threefry(Step& step);

// run_control.cpp
Result<void> run_call(Step& step);
Result<void> run_while(Step& step);
Result<void> run_conditional(Step& step);
Result<void> run_custom_call(Step& step);

// run_movement.cpp
Result<void> run_reshape(Step& step);
Result<void> run_transpose(Step& step);
Result<void> run_broadcast(Step& step);
Result<void> run_slice(Step& step);
Result<void> run_concatenate(Step& step);
Result<void> run_dynamic_slice(Step& step);
Result<void> run_dynamic_update_slice(Step& step);
Result<void> run_bitcast(Step& step);  // of arrays in the usual layout: plain_program
Result<void> run_bitcast_convert(Step& step);
Result<void> run_pad(Step& step);
Result<void> run_reverse(Step& step);

// run_elementwise.cpp
Result<void> run_elementwise(Step& step);

// run_product.cpp, run_convolution.cpp, run_ragged.cpp
Result<void> run_dot(Step& step);
Result<void> run_dot_sum(Step& step, const DotSum& sum);
Result<void> run_plain_dot(Step& step);                                        // run_plain_dot.cpp
Result<void> run_joint_dots(Step& step, const std::vector<JointDots>& joint);  // run_joint.cpp
Result<void> run_convolution(Step& step);
Result<void> run_ragged_dot(Step& step);
Result<void> run_ragged_all_to_all(Step& step);

// run_fold.cpp
Result<void> run_reduce(Step& step);
Result<void> run_reduce_window(Step& step);
Result<void> run_map(Step& step);

// indexed/: run_sort.cpp, run_gather.cpp, run_scatter.cpp, run_select_and_scatter.cpp
Result<void> run_sort(Step& step);
Result<void> run_top_k(Step& step);
Result<void> run_gather(Step& step);
Result<void> run_scatter(Step& step);
Result<void> run_select_and_scatter(Step& step);

// solve/run_solve.cpp
Result<void> run_cholesky(Step& step);
Result<void> run_triangular_solve(Step& step);
Result<void> run_solve_call(Step& step);  // a custom-call
Result<void> run_pivots(Step& step);

// run_transform.cpp
Result<void> run_fft(Step& step);
Result<void> run_random_bits(Step& step);

// run_collective.cpp
Result<void> run_all_gather(Step& step);
Result<void> run_all_to_all(Step& step);
Result<void> run_collective_permute(Step& step);
Result<void> run_collective_broadcast(Step& step);
Result<void> run_all_reduce(Step& step);
Result<void> run_reduce_scatter(Step& step);

// run_between.cpp: any of these where some devices are elsewhere
Result<void> run_between(Step& step);

}  // namespace shardscope::inline numerics
