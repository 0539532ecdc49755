// SPDX-License-Identifier: Apache-2.0
// Products. A convolution's batch and features are cut as in a product; along a spatial dimension each device
// gets the rows around its own that its window reaches (halo exchange).
#include <algorithm>

#include "engine/partition/rules/dot_partitioner.h"
#include "engine/partition/rules/halo.h"
#include "engine/partition/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

struct Operands {
  Sharded lhs, rhs;
};

ShardedLeaves product(const SpmdContext& cx, const Visit& v, const DotAxes& axes, Operands of,
                      const Tiling& out) {
  if (of.lhs.id == of.rhs.id) of.rhs.id = cx.writer.op(Opcode::copy, cx.writer.shape(of.rhs.id), {of.rhs.id});
  DotPartitioner dot({cx.writer, cx.resharder, v.i, axes, cx.options});
  return {dot.partition({v.scope(), of.lhs, of.rhs, v.i.shape, out})};
}

// Spatial dimensions of which each device has a part of the result.
std::vector<size_t> halo_dims(const ConvolutionDims& c, const Tiling& out) {
  std::vector<size_t> halo;
  for (size_t s = 0; s < c.window.size(); ++s)
    if (out.counts[static_cast<size_t>(c.output_spatial[s])] > 1 && c.window[s].base_dilation == 1)
      halo.push_back(s);
  return halo;
}

// Groups of features are cut: every device convolves its own, and nothing is sent. None: no cut by whole
// groups.
std::optional<ShardedLeaves> by_groups(const SpmdContext& cx, const Visit& v, const ConvolutionDims& c) {
  const Tiling at = v.out().merged(c.output_spatial);
  const int64_t parts = at.count_of({c.output_feature});
  if (parts <= 1 || c.feature_groups % parts != 0) return std::nullopt;
  std::vector<int64_t> of_image(v.i.shape.rank(), -1), of_kernel(v.i.shape.rank(), -1);
  of_image[static_cast<size_t>(c.input_batch)] = c.output_batch;
  of_image[static_cast<size_t>(c.input_feature)] = c.output_feature;
  of_kernel[static_cast<size_t>(c.kernel_output)] = c.output_feature;
  const Sharded image = operand_as(cx, v, 0, at.mapped(of_image));
  const Sharded kernel = operand_as(cx, v, 1, at.mapped(of_kernel));
  const Sharded out = write_tiled(cx, v, at, {image.id, kernel.id});
  std::get<ConvolutionDims>(cx.writer.at(out.id).attributes.edit()).feature_groups = c.feature_groups / parts;
  return ShardedLeaves{out};
}

// Space is whole: a product of batch and features.
ShardedLeaves by_features(const SpmdContext& cx, const Visit& v, const ConvolutionDims& c,
                          const DotAxes& axes) {
  std::vector<int64_t> fixed = c.input_spatial, fixed_kernel = c.kernel_spatial;
  std::vector<int64_t> whole_out = c.output_spatial;
  if (c.feature_groups != 1) {
    fixed.push_back(c.input_feature);
    fixed_kernel.insert(fixed_kernel.end(), {c.kernel_input, c.kernel_output});
    whole_out.push_back(c.output_feature);
  }
  const Sharded lhs = operand_as(cx, v, 0, v.operand(0).tiling.merged(fixed));
  const Sharded rhs = operand_as(cx, v, 1, v.operand(1).tiling.merged(fixed_kernel));
  return product(cx, v, axes, {lhs, rhs}, v.out().merged(whole_out));
}

// The kernel whole; along each of `halo` the rows that the device's part of the result looks at.
ShardedLeaves by_space(const SpmdContext& cx, const Visit& v, const ConvolutionDims& c,
                       const std::vector<size_t>& halo) {
  std::vector<int64_t> whole_out{c.output_feature}, map(v.i.shape.rank(), -1);
  for (size_t s = 0; s < c.window.size(); ++s) {
    if (std::ranges::count(halo, s) == 0)
      whole_out.push_back(c.output_spatial[s]);
    else
      map[static_cast<size_t>(c.input_spatial[s])] = c.output_spatial[s];
  }
  map[static_cast<size_t>(c.input_batch)] = c.output_batch;
  const Tiling at = v.out().merged(whole_out);
  Sharded value = operand_as(cx, v, 0, at.mapped(map));
  const InstructionId kernel = whole_operand(cx, v, 1).id;
  const InstructionId zero = cx.writer.zero(value.base.type);
  std::vector<WindowDim> window = c.window;
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  Resharder::Because because(cx.resharder,
                             "convolution: rows that its window reaches come from the neighbours", "halo");
  for (const size_t s : halo) {
    WindowDim& w = window[s];
    const auto out = static_cast<size_t>(c.output_spatial[s]);
    RowWindow rows{static_cast<size_t>(c.input_spatial[s]), {}, 0};
    for (const int64_t place : at.coordinates().along(out))
      rows.starts.push_back(place * tile[out] * w.stride - w.low);
    rows.size = (tile[out] - 1) * w.stride + (w.size - 1) * w.window_dilation + 1;
    value = with_rows(cx, v.scope(), value, rows);
    value.id = only_rows_of_array(cx, v.scope(), value, rows, zero);
    w.low = w.high = 0;
  }
  const Sharded out = write_tiled(cx, v, at, {value.id, kernel});
  std::get<ConvolutionDims>(cx.writer.at(out.id).attributes.edit()).window = std::move(window);
  return {out};
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> dot(const SpmdContext& cx, const Visit& v) {
  return product(cx, v, *DotAxes::of(v.here, v.i), {v.operand(0), v.operand(1)}, v.out());
}

Result<ShardedLeaves> convolution(const SpmdContext& cx, const Visit& v) {
  const auto axes = DotAxes::of(v.here, v.i);
  if (!axes) return replicated(cx, v);
  TRY(const ConvolutionDims c, convolution_dims(v.here, v.i));
  const std::vector<size_t> halo = halo_dims(c, v.out());
  if (!halo.empty()) return by_space(cx, v, c, halo);
  if (auto groups = by_groups(cx, v, c)) return *std::move(groups);
  return by_features(cx, v, c, *axes);
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
