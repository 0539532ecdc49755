// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/dot_axes.h"

#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {

std::optional<DotAxes> DotAxes::of(const Computation& computation, const Instruction& dot) {
  DotAxes out;
  const Shape& lhs = computation.at(dot.operands[0]).shape;
  const Shape& rhs = computation.at(dot.operands[1]).shape;
  if (dot.opcode == Opcode::convolution) {
    const auto c = convolution_dims(computation, dot);
    if (!c.ok()) return std::nullopt;
    if (c->batch_groups != 1) {  // groups are not cut, but what is summed in each can be
      out.contracting = {{c->input_feature, c->kernel_input, -1}};
      return out;
    }
    out.lhs_free = {{c->input_batch, -1, c->output_batch}};
    if (c->feature_groups != 1) return out;
    out.contracting = {{c->input_feature, c->kernel_input, -1}};
    out.rhs_free = {{-1, c->kernel_output, c->output_feature}};
    return out;
  }
  const DotDims& d = dot.dot;
  const auto in = [](const std::vector<int64_t>& list, size_t i) {
    return std::ranges::count(list, static_cast<int64_t>(i)) > 0;
  };
  int64_t place = 0;
  for (size_t i = 0; i < d.lhs_batch.size(); ++i)
    out.batch.push_back({d.lhs_batch[i], d.rhs_batch[i], place++});
  for (size_t i = 0; i < d.lhs_contracting.size(); ++i)
    out.contracting.push_back({d.lhs_contracting[i], d.rhs_contracting[i], -1});
  for (size_t i = 0; i < lhs.rank(); ++i)
    if (!in(d.lhs_batch, i) && !in(d.lhs_contracting, i))
      out.lhs_free.push_back({static_cast<int64_t>(i), -1, place++});
  for (size_t i = 0; i < rhs.rank(); ++i)
    if (!in(d.rhs_batch, i) && !in(d.rhs_contracting, i))
      out.rhs_free.push_back({-1, static_cast<int64_t>(i), place++});
  return out;
}

std::vector<int64_t> dims_of(const std::vector<DotAxis>& axes, int64_t DotAxis::*which) {
  std::vector<int64_t> out;
  for (const DotAxis& axis : axes) out.push_back(axis.*which);
  return out;
}

const char* name(DotSide side) {
  return side == DotSide::lhs ? "lhs" : "rhs";
}

DotSide opposite(DotSide side) {
  return side == DotSide::lhs ? DotSide::rhs : DotSide::lhs;
}

const std::vector<DotAxis>& free_axes(const DotAxes& axes, DotSide side) {
  return side == DotSide::lhs ? axes.lhs_free : axes.rhs_free;
}

int64_t DotAxis::*dim_in(DotSide side) {
  return side == DotSide::lhs ? &DotAxis::lhs : &DotAxis::rhs;
}

InstructionId local_dot(const DotContext& cx, const Shape& base, InstructionId lhs, InstructionId rhs) {
  Shape shape = base;
  const auto take = [&](const std::vector<DotAxis>& axes, InstructionId from, int64_t DotAxis::*which) {
    for (const DotAxis& axis : axes)
      shape.dims[static_cast<size_t>(axis.out)] =
          cx.writer.shape(from).dims[static_cast<size_t>(axis.*which)];
  };
  take(cx.axes.batch, lhs, &DotAxis::lhs);
  take(cx.axes.lhs_free, lhs, &DotAxis::lhs);
  take(cx.axes.rhs_free, rhs, &DotAxis::rhs);
  const InstructionId made = cx.writer.op(cx.instruction.opcode, shape, {lhs, rhs});
  Instruction& dot = cx.writer.at(made);
  dot.dot = cx.instruction.dot;
  dot.attributes = cx.instruction.attributes;
  for (const VerbatimAttribute& a : without_sdy_attributes(cx.instruction.verbatim))
    if (a.key != "metadata" && a.key != "sharding")
      dot.verbatim.edit().insert(dot.verbatim.edit().begin(), a);
  return made;
}

}  // namespace shardscope::inline partitioner
