// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/turn.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline grad {
namespace {

const OpTable<GradRule>& rules() {
  static const OpTable<GradRule> kRules(
      {{OpClass::elementwise, &grad_elementwise}, {OpClass::source, &grad_nothing}},
      {{Opcode::tuple, &grad_tuple},
       {Opcode::get_tuple_element, &grad_element},
       {Opcode::bitcast_convert, &grad_nothing},
       {Opcode::after_all, &grad_nothing},
       {Opcode::copy, &grad_copy},
       {Opcode::optimization_barrier, &grad_forward},
       {Opcode::domain, &grad_forward},
       {Opcode::add_dependency, &grad_forward},
       {Opcode::convert, &grad_convert},
       {Opcode::reduce_precision, &grad_rounded},
       {Opcode::select, &grad_select},
       {Opcode::clamp, &grad_clamp},
       {Opcode::reshape, &grad_reshape},
       {Opcode::bitcast, &grad_reshape},
       {Opcode::transpose, &grad_transpose},
       {Opcode::broadcast, &grad_broadcast},
       {Opcode::slice, &grad_slice},
       {Opcode::concatenate, &grad_concatenate},
       {Opcode::pad, &grad_pad},
       {Opcode::reverse, &grad_reverse},
       {Opcode::dynamic_slice, &grad_dynamic_slice},
       {Opcode::dynamic_update_slice, &grad_update_slice},
       {Opcode::dot, &grad_dot},
       {Opcode::ragged_dot, &grad_ragged_dot},
       {Opcode::convolution, &grad_convolution},
       {Opcode::reduce, &grad_reduce},
       {Opcode::reduce_window, &grad_reduce_window},
       {Opcode::select_and_scatter, &grad_select_and_scatter},
       {Opcode::gather, &grad_gather},
       {Opcode::scatter, &grad_scatter},
       {Opcode::sort, &grad_sort},
       {Opcode::topk, &grad_top_k},
       {Opcode::cholesky, &grad_cholesky},
       {Opcode::triangular_solve, &grad_triangular_solve},
       {Opcode::fft, &grad_fft},
       {Opcode::while_, &grad_while},
       {Opcode::conditional, &grad_conditional},
       {Opcode::custom_call, &grad_custom_call},
       {Opcode::all_reduce, &grad_all_reduce},
       {Opcode::all_gather, &grad_all_gather},
       {Opcode::reduce_scatter, &grad_reduce_scatter},
       {Opcode::all_to_all, &grad_all_to_all},
       {Opcode::collective_permute, &grad_permute},
       {Opcode::collective_broadcast, &grad_collective_broadcast}});
  return kRules;
}

}  // namespace

GradRule grad_rule(Opcode opcode) {
  return rules()[opcode];
}

std::string grad_hole(Opcode opcode) {
  if (grad_rule(opcode) != nullptr && grad_rule(opcode) != &grad_elementwise) return "";
  return grad_rule(opcode) != nullptr && has_elementwise_derivative(opcode)
             ? ""
             : "none is written for this operation";
}

Error GradTurn::error(const std::string& why) const {
  return invalid(std::string(opcode_text(at())) + " '" + at().name + "' has no derivative: " + why,
                 "instruction " + at().name);
}

}  // namespace shardscope::inline grad
