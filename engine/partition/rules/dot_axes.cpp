// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/dot_axes.h"

#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {

namespace {

// An element of the image at a time.
bool is_one_place(const WindowDim& w) {
  return w.size == 1 && w.stride == 1 && w.base_dilation == 1 && w.low == 0 && w.high == 0;
}

// One window, all of the image.
bool is_whole(const WindowDim& w, int64_t image) {
  return w.size == image && w.window_dilation == 1 && w.base_dilation == 1 && w.low == 0 && w.high == 0 &&
         !w.reversed;
}

// Of groups only those are cut that are a product's batch: each feature by itself. As in XLA.
DotAxes axes_of(const ConvolutionDims& c, const Shape& image, const Shape& kernel) {
  DotAxes out;
  if (c.batch_groups == 1)
    out.lhs_free = {{c.input_batch, -1, c.output_batch}};
  else if (c.batch_groups == size_in(image, c.input_batch) &&
           c.batch_groups == size_in(kernel, c.kernel_output))
    out.batch = {{c.input_batch, c.kernel_output, c.output_feature}};
  if (c.feature_groups != 1) {
    out.batch = {{c.input_feature, c.kernel_output, c.output_feature}};
  } else {
    out.contracting = {{c.input_feature, c.kernel_input, -1}};
    if (c.batch_groups == 1) out.rhs_free = {{-1, c.kernel_output, c.output_feature}};
  }
  for (size_t s = 0; s < c.window.size(); ++s) {
    const int64_t from = c.input_spatial[s], at = c.kernel_spatial[s], to = c.output_spatial[s];
    if (is_one_place(c.window[s]))
      out.lhs_free.push_back({from, -1, to});
    else if (is_whole(c.window[s], size_in(image, from)))
      out.contracting.push_back({from, at, -1});
    else
      out.space.push_back({from, at, to});
  }
  out.convolution = c;
  return out;
}

// Of the tiles of a device.
ConvolutionDims convolution_of_tiles(const DotAxes& axes, const Shape& lhs, const Shape& rhs) {
  ConvolutionDims out = *axes.convolution;
  for (size_t s = 0; s < out.window.size(); ++s)
    if (std::ranges::any_of(axes.contracting,
                            [&](const DotAxis& a) { return a.lhs == out.input_spatial[s]; }))
      out.window[s].size = size_in(rhs, out.kernel_spatial[s]);
  if (out.feature_groups != 1)
    out.feature_groups = size_in(lhs, out.input_feature) / size_in(rhs, out.kernel_input);
  if (out.batch_groups != 1 && !axes.batch.empty()) out.batch_groups = size_in(lhs, out.input_batch);
  return out;
}

}  // namespace

std::optional<DotAxes> DotAxes::of(const Computation& computation, const Instruction& dot) {
  DotAxes out;
  const Shape& lhs = computation.at(dot.operands[0]).shape;
  const Shape& rhs = computation.at(dot.operands[1]).shape;
  if (dot.opcode == Opcode::convolution) {
    const auto c = convolution_dims(computation, dot);
    return c.ok() ? std::optional(axes_of(*c, lhs, rhs)) : std::nullopt;
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
  std::optional<ConvolutionDims> convolution;
  if (cx.axes.convolution) {
    convolution = convolution_of_tiles(cx.axes, cx.writer.shape(lhs), cx.writer.shape(rhs));
    shape.dims = convolution_result(*convolution, cx.writer.shape(lhs), cx.writer.shape(rhs));
  }
  const auto take = [&](const std::vector<DotAxis>& axes, InstructionId from, int64_t DotAxis::*which) {
    for (const DotAxis& axis : axes)
      shape.dims[static_cast<size_t>(axis.out)] =
          cx.writer.shape(from).dims[static_cast<size_t>(axis.*which)];
  };
  if (!convolution) {
    take(cx.axes.batch, lhs, &DotAxis::lhs);
    take(cx.axes.lhs_free, lhs, &DotAxis::lhs);
    take(cx.axes.rhs_free, rhs, &DotAxis::rhs);
  }
  const InstructionId made = cx.writer.op(cx.instruction.opcode, shape, {lhs, rhs});
  Instruction& dot = cx.writer.at(made);
  dot.dot = cx.instruction.dot;
  if (convolution)
    dot.attributes = *std::move(convolution);
  else
    dot.attributes = cx.instruction.attributes;
  for (const VerbatimAttribute& a : without_sdy_attributes(cx.instruction.verbatim))
    if (a.key != "metadata" && a.key != "sharding")
      dot.verbatim.edit().insert(dot.verbatim.edit().begin(), a);
  return made;
}

}  // namespace shardscope::inline partitioner
