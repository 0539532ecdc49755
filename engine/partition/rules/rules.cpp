// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/rules.h"

#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

namespace rule = spmd_rule;

constexpr const char* kReplicated = "replicated: every device does all of it";
constexpr const char* kRegionsOnly = "in manual regions only: elsewhere the module is partitioned already";
constexpr const char* kInlined = "";  // written out before (spmd_prepare)

// A rule, and why it is none.
struct Row {
  SpmdRule* write = &rule::replicated;
  const char* hole = kReplicated;

  Row() = default;
  Row(SpmdRule* rule, const char* what = "") : write(rule), hole(what) {}
};

Result<ShardedLeaves> custom_call(const SpmdContext& cx, const Visit& v) {
  if (enters_region(v.i)) return rule::enter_region(cx, v);
  if (leaves_region(v.i)) return rule::leave_region(cx, v);
  const CustomTarget target = custom_target(v.i);
  if (target == CustomTarget::top_k || target == CustomTarget::approx_top_k) return rule::top_k(cx, v);
  if (target == CustomTarget::placement && v.i.operands.size() == 1) return rule::copy(cx, v);
  return rule::batched(cx, v);
}

const OpTable<Row>& write_rules() {
  static const OpTable<Row> table({{OpClass::elementwise, &rule::elementwise},
                                   {OpClass::collective, {&rule::own_collective, kRegionsOnly}}},
                                  {
                                      {Opcode::parameter, &rule::parameter},
                                      {Opcode::constant, &rule::constant},
                                      {Opcode::iota, &rule::iota},
                                      {Opcode::partition_id, {&rule::device_number, kRegionsOnly}},
                                      {Opcode::replica_id, {&rule::device_number, kRegionsOnly}},
                                      {Opcode::tuple, &rule::tuple},
                                      {Opcode::get_tuple_element, &rule::get_tuple_element},
                                      {Opcode::copy, &rule::copy},
                                      {Opcode::optimization_barrier, &rule::copy},
                                      {Opcode::broadcast, &rule::broadcast},
                                      {Opcode::transpose, &rule::transpose},
                                      {Opcode::reshape, &rule::reshape},
                                      {Opcode::bitcast, &rule::bitcast},
                                      {Opcode::bitcast_convert, &rule::bitcast_convert},
                                      {Opcode::concatenate, &rule::concatenate},
                                      {Opcode::slice, &rule::slice},
                                      {Opcode::pad, &rule::pad},
                                      {Opcode::reverse, &rule::reverse},
                                      {Opcode::dynamic_slice, &rule::dynamic_slice},
                                      {Opcode::dynamic_update_slice, &rule::dynamic_update_slice},
                                      {Opcode::reduce, &rule::reduce},
                                      {Opcode::sort, &rule::sort},
                                      {Opcode::topk, &rule::top_k},
                                      {Opcode::fft, &rule::fft},
                                      {Opcode::reduce_window, &rule::reduce_window},
                                      {Opcode::select_and_scatter, &rule::select_and_scatter},
                                      {Opcode::cholesky, &rule::batched},
                                      {Opcode::triangular_solve, &rule::batched},
                                      {Opcode::map, &rule::map},
                                      {Opcode::add_dependency, &rule::copy},
                                      {Opcode::domain, &rule::copy},
                                      {Opcode::get_dimension_size, &rule::dimension_size},
                                      {Opcode::dot, &rule::dot},
                                      {Opcode::convolution, &rule::convolution},
                                      {Opcode::gather, &rule::gather},
                                      {Opcode::scatter, &rule::scatter},
                                      {Opcode::while_, &rule::while_loop},
                                      {Opcode::conditional, &rule::conditional},
                                      {Opcode::call, {&rule::replicated, kInlined}},
                                      {Opcode::fusion, {&rule::replicated, kInlined}},
                                      {Opcode::custom_call, &custom_call},
                                  });
  return table;
}

}  // namespace

Result<ShardedLeaves> write_by_rule(const SpmdContext& cx, const Visit& v) {
  return write_rules()[v.i.opcode].write(cx, v);
}

std::string partition_hole(Opcode opcode) {
  return write_rules()[opcode].hole;
}

}  // namespace shardscope::inline partitioner
