// SPDX-License-Identifier: Apache-2.0
// Convolutions: batch and features are cut as in a product; along a spatial dimension each device gets the
// rows around its own that its window reaches (halo exchange).
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/partition/rules/spmd_visitor.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

std::string window_text(const std::vector<WindowDim>& window) {
  std::vector<std::string> size, stride, pad, base, dilation, reversed;
  for (const WindowDim& w : window) {
    size.push_back(std::to_string(w.size));
    stride.push_back(std::to_string(w.stride));
    pad.push_back(fmt::format("{}_{}", w.low, w.high));
    base.push_back(std::to_string(w.base_dilation));
    dilation.push_back(std::to_string(w.window_dilation));
    reversed.push_back(w.reversed ? "1" : "0");
  }
  return fmt::format("{{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}",
                     fmt::join(size, "x"), fmt::join(stride, "x"), fmt::join(pad, "x"), fmt::join(base, "x"),
                     fmt::join(dilation, "x"), fmt::join(reversed, "x"));
}

}  // namespace

Result<ShardedLeaves> SpmdVisitor::convolution(const Visit& v) {
  const auto axes = DotAxes::of(*here_, v.i);
  if (!axes) return replicated(v);
  TRY(const ConvolutionDims c, convolution_dims(*here_, v.i));
  std::vector<size_t> halo;
  for (size_t s = 0; s < c.window.size(); ++s)
    if (v.out().counts[static_cast<size_t>(c.output_spatial[s])] > 1 && c.window[s].base_dilation == 1)
      halo.push_back(s);
  if (halo.empty()) {
    std::vector<int64_t> fixed = c.input_spatial, fixed_kernel = c.kernel_spatial;
    if (c.feature_groups != 1) {
      fixed.push_back(c.input_feature);
      fixed_kernel.insert(fixed_kernel.end(), {c.kernel_input, c.kernel_output});
    }
    const Sharded lhs = operand_as(v, 0, operand(v, 0).tiling.merged(fixed));
    const Sharded rhs = operand_as(v, 1, operand(v, 1).tiling.merged(fixed_kernel));
    std::vector<int64_t> whole_out = c.output_spatial;
    if (c.feature_groups != 1) whole_out.push_back(c.output_feature);
    return ShardedLeaves{product(v, *axes, lhs, rhs, v.out().merged(whole_out))};
  }
  std::vector<int64_t> whole_out{c.output_feature}, map(v.i.shape.rank(), -1);
  for (size_t s = 0; s < c.window.size(); ++s) {
    if (std::ranges::count(halo, s) == 0)
      whole_out.push_back(c.output_spatial[s]);
    else
      map[static_cast<size_t>(c.input_spatial[s])] = c.output_spatial[s];
  }
  map[static_cast<size_t>(c.input_batch)] = c.output_batch;
  const Tiling at = v.out().merged(whole_out);
  Sharded value = operand_as(v, 0, at.mapped(map));
  const InstructionId kernel = whole(v, 1).id;
  const InstructionId zero = writer_.zero(value.base.type);
  std::vector<WindowDim> window = c.window;
  Shape shape = v.i.shape;
  shape.dims = tile_dims(at, shape.dims);
  Resharder::Because because(resharder_, "convolution: rows that its window reaches come from the neighbours",
                             "halo");
  for (const size_t s : halo) {
    WindowDim& w = window[s];
    const auto in = static_cast<size_t>(c.input_spatial[s]), out = static_cast<size_t>(c.output_spatial[s]);
    std::vector<int64_t> starts;
    for (const auto& place : at.coordinates())
      starts.push_back(place[out] * shape.dims[out] * w.stride - w.low);
    const int64_t rows = (shape.dims[out] - 1) * w.stride + (w.size - 1) * w.window_dilation + 1;
    value = this->window(value, in, starts, rows);
    value.id = only_rows_of(value, in, starts, zero);
    w.low = w.high = 0;
  }
  const InstructionId id = like(v.i, shape, {value.id, kernel});
  for (VerbatimAttribute& a : writer_.at(id).verbatim)
    if (a.key == "window") a.value = window_text(window);
  return ShardedLeaves{result(v, id, at)};
}

}  // namespace shardscope
