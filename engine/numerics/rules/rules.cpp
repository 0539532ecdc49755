// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/rules.h"

#include "engine/numerics/rules/plain_program.h"

namespace shardscope {
namespace {

// Whether all that the rule does to elements are loops of the execution (Execution::loops), so that running
// those again does it again.
enum Recording : bool { kAside, kInLoops };
struct Row {
  RunRule rule = nullptr;
  Recording recording = kInLoops;
};

const OpTable<Row>& rules() {
  static const OpTable<Row> kRules({{OpClass::elementwise, {&run_elementwise}}},
                                   {{Opcode::parameter, {&run_parameter}},
                                    {Opcode::constant, {&run_constant}},
                                    {Opcode::iota, {&run_iota, kAside}},
                                    {Opcode::tuple, {&run_tuple}},
                                    {Opcode::get_tuple_element, {&run_get_tuple_element}},
                                    {Opcode::copy, {&run_forward}},
                                    {Opcode::optimization_barrier, {&run_forward}},
                                    {Opcode::partition_id, {&run_partition_id}},
                                    {Opcode::replica_id, {&run_zero}},
                                    {Opcode::after_all, {&run_zero}},
                                    {Opcode::call, {&run_call}},
                                    {Opcode::fusion, {&run_call}},
                                    {Opcode::while_, {&run_while}},
                                    {Opcode::conditional, {&run_conditional}},
                                    {Opcode::custom_call, {&run_custom_call, kAside}},
                                    {Opcode::reshape, {&run_reshape}},
                                    {Opcode::bitcast, {&run_reshape}},
                                    {Opcode::transpose, {&run_transpose}},
                                    {Opcode::broadcast, {&run_broadcast}},
                                    {Opcode::slice, {&run_slice}},
                                    {Opcode::concatenate, {&run_concatenate}},
                                    {Opcode::dynamic_slice, {&run_dynamic_slice}},
                                    {Opcode::dynamic_update_slice, {&run_dynamic_update_slice}},
                                    {Opcode::bitcast_convert, {&run_bitcast_convert, kAside}},
                                    {Opcode::pad, {&run_pad, kAside}},
                                    {Opcode::reverse, {&run_reverse, kAside}},
                                    {Opcode::convert, {&run_convert}},
                                    {Opcode::compare, {&run_compare}},
                                    {Opcode::select, {&run_select}},
                                    {Opcode::clamp, {&run_clamp}},
                                    {Opcode::is_finite, {&run_is_finite}},
                                    {Opcode::reduce_precision, {&run_reduce_precision}},
                                    {Opcode::dot, {&run_dot}},
                                    {Opcode::convolution, {&run_convolution, kAside}},
                                    {Opcode::ragged_dot, {&run_ragged_dot, kAside}},
                                    {Opcode::reduce, {&run_reduce, kAside}},
                                    {Opcode::reduce_window, {&run_reduce_window, kAside}},
                                    {Opcode::sort, {&run_sort, kAside}},
                                    {Opcode::gather, {&run_gather, kAside}},
                                    {Opcode::scatter, {&run_scatter, kAside}},
                                    {Opcode::all_gather, {&run_all_gather}},
                                    {Opcode::all_to_all, {&run_all_to_all}},
                                    {Opcode::ragged_all_to_all, {&run_ragged_all_to_all, kAside}},
                                    {Opcode::collective_permute, {&run_collective_permute}},
                                    {Opcode::collective_broadcast, {&run_collective_broadcast}},
                                    {Opcode::all_reduce, {&run_all_reduce}},
                                    {Opcode::reduce_scatter, {&run_reduce_scatter}}});
  return kRules;
}

}  // namespace

Result<void> run_instruction(Step& step) {
  const auto sum = step.frame.plan.sums.find(step.id.value);
  if (sum != step.frame.plan.sums.end()) return run_dot_sum(step, sum->second);
  const auto [rule, recording] = rules()[step.at().opcode];
  if (rule == nullptr) return cannot_run(step.at());
  if (recording == kAside) step.run.loops.pass_by();
  return rule(step);
}

std::string run_hole(Opcode opcode) {
  if (rules()[opcode].rule != nullptr || is_rewritten(opcode)) return "";
  if (opcode == Opcode::rng_bit_generator) return "its bits are the compiler's choice";
  return "no operation of ours";
}

}  // namespace shardscope
