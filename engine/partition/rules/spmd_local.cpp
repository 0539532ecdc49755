// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/spmd_local.h"

#include <algorithm>
#include <string>

#include "engine/partition/reshard/step_writer.h"
#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/fitted_module.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

// Parts that all are full.
bool divides(const Tiling& tiling, const std::vector<int64_t>& dims) {
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] % tiling.counts[d] != 0) return false;
  return true;
}

// The operand with nothing in what its tiles have beyond the array's end.
InstructionId padded_with(const SpmdContext& cx, const Visit& v, size_t k, const std::vector<int64_t>& dims,
                          const std::string& literal) {
  const Sharded& operand = v.operand(k);
  if (divides(operand.tiling, operand.base.dims)) return operand.id;
  const InstructionId nothing = cx.writer.constant(operand.base.type, literal);
  return cx.resharder.masked(v.scope(), operand, dims, nothing).id;
}

std::vector<InstructionId> product_operands(const SpmdContext& cx, const Visit& v) {
  std::vector<int64_t> lhs, rhs;
  if (const auto dot = product_dims(v.here, v.i)) {
    lhs = dot->lhs_contracting;
    rhs = dot->rhs_contracting;
  } else if (const auto conv = convolution_dims(v.here, v.i); conv.ok()) {
    lhs = {conv->input_feature};
    rhs = {conv->kernel_input};
  }
  const std::string zero = is_complex(v.operand(0).base.type) ? "(0, 0)" : "0";
  return {padded_with(cx, v, 0, lhs, zero), padded_with(cx, v, 1, rhs, zero)};
}

// Along which a fitted instruction leaves partial results; null: it is none that is done so.
const AxisParts* partial_axes(const SpmdContext& cx, const Visit& v) {
  if (cx.fitted == nullptr || v.in_region()) return nullptr;
  const auto found = cx.fitted->local.find(v.i.name);
  return found == cx.fitted->local.end() ? nullptr : &found->second;
}

bool same_groups(DeviceGroups a, DeviceGroups b) {
  for (DeviceGroups* of : {&a, &b}) {
    for (auto& group : of->groups) std::ranges::sort(group);
    std::ranges::sort(of->groups);
  }
  return a == b;
}

const char* reason_of(StepKind kind) {
  switch (kind) {
    case StepKind::slice:
      return "slice: each device keeps its part";
    case StepKind::permute:
      return "permute: the same parts on other devices";
    case StepKind::exchange:
      return "all-to-all: what splits one dimension splits another";
    case StepKind::gather:
      return "all-gather: the array is needed in larger parts";
    case StepKind::reduce_scatter:
      return "reduce-scatter: partial sums are added up, and each device keeps its part";
    case StepKind::all_reduce:
    case StepKind::make_partial:
      break;
  }
  return "all-reduce: partial sums are added up";
}

Result<ShardedLeaves> write_local(const SpmdContext& cx, const Visit& v) {
  if (v.i.opcode != Opcode::reduce)
    return ShardedLeaves{write_tiled(cx, v, v.out(), product_operands(cx, v))};
  const Opcode op = reducer_opcode(cx.source, v.i);
  const auto identity = identity_of(op, v.i.shape.type);
  if (!identity) return write_by_rule(cx, v);
  const InstructionId value = padded_with(cx, v, 0, *v.i.dimensions, *identity);
  Instruction made = v.i;
  made.called = {{"to_apply", cx.writer.reducer(op, v.i.shape.type)}};
  const InstructionId neutral = cx.writer.constant(v.i.shape.type, *identity);
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, {v.out()}), {value, neutral});
  return ShardedLeaves{{id, v.i.shape, v.out()}};
}

Result<ShardedLeaves> write_step(const SpmdContext& cx, const Visit& v, const CollectiveMove& move) {
  const Sharded& value = v.operand(0);
  const SplitStep& step = move.step;
  const bool sums = step.kind == StepKind::all_reduce || step.kind == StepKind::reduce_scatter;
  Resharder::Because because(cx.resharder, reason_of(step.kind), sums ? "result" : v.source_of(0).name);
  const int64_t first = cx.writer.count();
  StepWriter steps(cx.writer, cx.fitted->mesh, move.combining);
  const bool even = divides(value.tiling, value.base.dims) && divides(v.out(), value.base.dims);
  Sharded made{value.id, value.base, v.out()};
  if (even || step.kind == StepKind::all_reduce) {
    made.id = steps.write(value.id, step);
  } else {
    if (step.kind == StepKind::reduce_scatter) made.id = steps.combined(value.id, step.axes);
    made = cx.resharder.to(v.scope(), {made.id, value.base, value.tiling}, v.out());
  }
  if (step.kind == StepKind::all_reduce)
    cx.resharder.note_sum(first, v.out());
  else
    cx.resharder.note(first, value.tiling, v.out());
  return ShardedLeaves{made};
}

}  // namespace

InstructionId combined_or_partial(const SpmdContext& cx, const Visit& v, InstructionId id,
                                  const std::optional<DeviceGroups>& members, Opcode combining) {
  const AxisParts* axes = partial_axes(cx, v);
  const auto summed = [&](InstructionId value) {
    return cx.writer.all_reduce(value, v.scope(), *members,
                                cx.writer.reducer(combining, cx.writer.shape(value).type));
  };
  if (axes != nullptr && !axes->empty()) {
    if (members && same_groups(*members, groups_along(*axes, cx.fitted->mesh))) return id;
    StepWriter steps(cx.writer, cx.fitted->mesh, combining);
    return steps.on_first(members ? summed(id) : id, *axes);
  }
  return members ? summed(id) : id;
}

std::optional<Result<ShardedLeaves>> write_fitted(const SpmdContext& cx, const Visit& v) {
  if (cx.fitted == nullptr || v.in_region()) return std::nullopt;
  if (const auto step = cx.fitted->steps.find(v.i.name); step != cx.fitted->steps.end())
    return write_step(cx, v, step->second);
  // Others leave partial results by their own rules.
  if (has(v.i.opcode, Trait::partial) && partial_axes(cx, v) != nullptr) return write_local(cx, v);
  return std::nullopt;
}

}  // namespace shardscope::inline partitioner
