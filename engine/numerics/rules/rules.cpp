// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/rules.h"

#include "engine/numerics/plan/plain_program.h"
#include "engine/numerics/solve/solve_routines.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

// kInLoops: all that the rule does to elements are loops of the execution (Execution::loops), and all memory
// that they know is of its pool or kept by it, so that running them again is running the rule again.
enum Recording : bool { kAside, kInLoops };
struct Row {
  RunRule rule = nullptr;
  Recording recording = kAside;
};

const OpTable<Row>& rules() {
  static const OpTable<Row> kRules({{OpClass::elementwise, {&run_elementwise, kInLoops}}},
                                   {{Opcode::parameter, {&run_parameter, kInLoops}},
                                    {Opcode::constant, {&run_constant, kInLoops}},
                                    {Opcode::iota, {&run_iota}},
                                    {Opcode::tuple, {&run_tuple, kInLoops}},
                                    {Opcode::get_tuple_element, {&run_get_tuple_element, kInLoops}},
                                    {Opcode::copy, {&run_forward, kInLoops}},
                                    {Opcode::optimization_barrier, {&run_forward, kInLoops}},
                                    {Opcode::add_dependency, {&run_forward, kInLoops}},
                                    {Opcode::get_dimension_size, {&run_dimension_size, kInLoops}},
                                    {Opcode::partition_id, {&run_partition_id, kInLoops}},
                                    {Opcode::replica_id, {&run_zero, kInLoops}},
                                    {Opcode::after_all, {&run_zero, kInLoops}},
                                    {Opcode::call, {&run_call, kInLoops}},
                                    {Opcode::fusion, {&run_call, kInLoops}},
                                    {Opcode::while_, {&run_while, kInLoops}},
                                    {Opcode::conditional, {&run_conditional, kInLoops}},
                                    {Opcode::custom_call, {&run_custom_call}},
                                    {Opcode::reshape, {&run_reshape, kInLoops}},
                                    {Opcode::bitcast, {&run_bitcast}},
                                    {Opcode::transpose, {&run_transpose, kInLoops}},
                                    {Opcode::broadcast, {&run_broadcast, kInLoops}},
                                    {Opcode::slice, {&run_slice, kInLoops}},
                                    {Opcode::concatenate, {&run_concatenate, kInLoops}},
                                    {Opcode::dynamic_slice, {&run_dynamic_slice, kInLoops}},
                                    {Opcode::dynamic_update_slice, {&run_dynamic_update_slice, kInLoops}},
                                    {Opcode::bitcast_convert, {&run_bitcast_convert}},
                                    {Opcode::pad, {&run_pad}},
                                    {Opcode::reverse, {&run_reverse}},
                                    {Opcode::dot, {&run_dot, kInLoops}},
                                    {Opcode::convolution, {&run_convolution}},
                                    {Opcode::ragged_dot, {&run_ragged_dot}},
                                    {Opcode::reduce, {&run_reduce}},
                                    {Opcode::reduce_window, {&run_reduce_window}},
                                    {Opcode::select_and_scatter, {&run_select_and_scatter}},
                                    {Opcode::map, {&run_map}},
                                    {Opcode::cholesky, {&run_cholesky}},
                                    {Opcode::triangular_solve, {&run_triangular_solve}},
                                    {Opcode::sort, {&run_sort}},
                                    {Opcode::topk, {&run_top_k}},
                                    {Opcode::fft, {&run_fft}},
                                    {Opcode::rng_bit_generator, {&run_random_bits}},
                                    {Opcode::gather, {&run_gather}},
                                    {Opcode::scatter, {&run_scatter}},
                                    {Opcode::all_gather, {&run_all_gather, kInLoops}},
                                    {Opcode::all_to_all, {&run_all_to_all, kInLoops}},
                                    {Opcode::ragged_all_to_all, {&run_ragged_all_to_all}},
                                    {Opcode::collective_permute, {&run_collective_permute, kInLoops}},
                                    {Opcode::collective_broadcast, {&run_collective_broadcast, kInLoops}},
                                    {Opcode::all_reduce, {&run_all_reduce, kInLoops}},
                                    {Opcode::reduce_scatter, {&run_reduce_scatter, kInLoops}}});
  return kRules;
}

}  // namespace

Result<void> run_instruction(Step& step) {
  const auto sum = step.frame.plan.sums.find(step.id.value);
  if (sum != step.frame.plan.sums.end()) return run_dot_sum(step, sum->second);
  const auto joint = step.frame.plan.joint.find(step.id.value);
  if (joint != step.frame.plan.joint.end()) return run_joint_dots(step, joint->second);
  const auto [rule, recording] = rules()[step.at().opcode];
  if (rule == nullptr) return cannot_run(step.at());
  const bool between = step.run.transport != nullptr && is_collective(step.at().opcode);
  if (recording == kAside || between) step.run.loops.pass_by();
  if (between && step.at().opcode != Opcode::ragged_all_to_all) return run_between(step);
  return rule(step);
}

RunRule call_rule(const Instruction& call) {
  const CustomTarget target = custom_target(call);
  switch (target) {
    case CustomTarget::top_k:
      return call.operands.size() == 1 ? &run_top_k : nullptr;
    case CustomTarget::threefry:
      return &run_threefry;
    case CustomTarget::pivots:
      return call.operands.size() == 1 ? &run_pivots : nullptr;
    default:
      return solve_row(target) != nullptr ? &run_solve_call : nullptr;
  }
}

std::string run_hole(const Computation& computation, const Instruction& i) {
  if (!is_known(i.opcode)) {
    const std::string_view name = i.opcode_name;
    const bool pairs = name.ends_with("-start") || name.ends_with("-update") || name.ends_with("-done");
    return pairs ? "" : std::string(name) + " is not an operation that is computed here";
  }
  const std::string hole = run_hole(i.opcode);
  if (!hole.empty()) return std::string(opcode_text(i.opcode)) + ": " + hole;
  if (i.opcode != Opcode::custom_call || call_rule(i) != nullptr || is_plain_call(computation, i)) return "";
  return "custom-call of target \"" + custom_call_target(i) + "\" has no meaning here";
}

std::string run_hole(Opcode opcode) {
  if (rules()[opcode].rule != nullptr || is_rewritten(opcode)) return "";
  return "no operation of ours";
}

}  // namespace shardscope::inline numerics
