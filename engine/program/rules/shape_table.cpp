// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/op_table.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/rules/verify_hole.h"

namespace shardscope::inline program {

namespace {

const OpTable<ShapeRule> kShapeRules({{OpClass::elementwise, &check_elementwise}},
                                     {{Opcode::parameter, &check_as_written},
                                      {Opcode::constant, &check_as_written},
                                      {Opcode::iota, &check_iota},
                                      {Opcode::partition_id, &check_place},
                                      {Opcode::replica_id, &check_place},
                                      {Opcode::tuple, &check_tuple},
                                      {Opcode::get_tuple_element, &check_tuple_element},
                                      {Opcode::copy, &check_like_operand},
                                      {Opcode::optimization_barrier, &check_like_operand},
                                      {Opcode::compare, &check_compare},
                                      {Opcode::abs, &check_part},
                                      {Opcode::real, &check_part},
                                      {Opcode::imag, &check_part},
                                      {Opcode::complex, &check_complex},
                                      {Opcode::is_finite, &check_is_finite},
                                      {Opcode::reduce_precision, &check_reduce_precision},
                                      {Opcode::convert, &check_convert},
                                      {Opcode::select, &check_select},
                                      {Opcode::clamp, &check_clamp},
                                      {Opcode::bitcast, &check_bitcast},
                                      {Opcode::bitcast_convert, &check_bitcast_convert},
                                      {Opcode::reshape, &check_reshape},
                                      {Opcode::transpose, &check_transpose},
                                      {Opcode::broadcast, &check_broadcast},
                                      {Opcode::slice, &check_slice},
                                      {Opcode::dynamic_slice, &check_dynamic_slice},
                                      {Opcode::dynamic_update_slice, &check_dynamic_update_slice},
                                      {Opcode::concatenate, &check_concatenate},
                                      {Opcode::pad, &check_pad},
                                      {Opcode::reverse, &check_reverse},
                                      {Opcode::dot, &check_dot},
                                      {Opcode::ragged_dot, &check_ragged_dot},
                                      {Opcode::convolution, &check_convolution},
                                      {Opcode::reduce, &check_reduce},
                                      {Opcode::reduce_window, &check_reduce_window},
                                      {Opcode::select_and_scatter, &check_select_and_scatter},
                                      {Opcode::cholesky, &check_cholesky},
                                      {Opcode::triangular_solve, &check_triangular_solve},
                                      {Opcode::map, &check_map},
                                      {Opcode::add_dependency, &check_dependency},
                                      {Opcode::domain, &check_like_operand},
                                      {Opcode::get_dimension_size, &check_dimension_size},
                                      {Opcode::gather, &check_gather},
                                      {Opcode::scatter, &check_scatter},
                                      {Opcode::sort, &check_sort},
                                      {Opcode::topk, &check_topk},
                                      {Opcode::fft, &check_fft},
                                      {Opcode::rng_bit_generator, &check_random_bits},
                                      {Opcode::call, &check_call},
                                      {Opcode::fusion, &check_fusion},
                                      {Opcode::while_, &check_while},
                                      {Opcode::conditional, &check_conditional},
                                      {Opcode::all_gather, &check_all_gather},
                                      {Opcode::all_reduce, &check_all_reduce},
                                      {Opcode::reduce_scatter, &check_reduce_scatter},
                                      {Opcode::all_to_all, &check_all_to_all},
                                      {Opcode::collective_broadcast, &check_collective_broadcast},
                                      {Opcode::collective_permute, &check_permute},
                                      {Opcode::ragged_all_to_all, &check_ragged_all_to_all}});

}  // namespace

ShapeRule shape_rule(Opcode opcode) {
  return kShapeRules[opcode];
}

std::string verify_hole(Opcode opcode) {
  return shape_rule(opcode) != nullptr ? "" : "its shape is taken as it is written";
}

}  // namespace shardscope::inline program
