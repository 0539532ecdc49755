// SPDX-License-Identifier: Apache-2.0
// A convolution that is cut along space, as XLA's partitioner does it (convolution_handler.cc): each device
// gets the rows that its windows reach, or its part of every window reaches, from its neighbours.
#include "engine/partition/rules/dot_space.h"

#include <algorithm>

#include "engine/partition/rules/halo.h"
#include "engine/partition/rules/windowed_input.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

bool cuts(const Tiling& tiling, int64_t dim) {
  return tiling.counts[static_cast<size_t>(dim)] > 1;
}

bool has_groups(const ConvolutionDims& c) {
  return c.feature_groups * c.batch_groups != 1;
}

std::vector<int64_t> kernel_of_image(const ConvolutionDims& c, size_t rank) {
  std::vector<int64_t> out(rank, -1);
  out[static_cast<size_t>(c.kernel_output)] = c.input_batch;
  out[static_cast<size_t>(c.kernel_input)] = c.input_feature;
  for (size_t s = 0; s < c.window.size(); ++s)
    out[static_cast<size_t>(c.kernel_spatial[s])] = c.input_spatial[s];
  return out;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& map) {
  std::vector<int64_t> out(map.size(), -1);
  for (size_t d = 0; d < map.size(); ++d) out[static_cast<size_t>(map[d])] = static_cast<int64_t>(d);
  return out;
}

Sharded moved(const DotContext& cx, const DotLevel& level, DotSide side, const Tiling& to, const char* why) {
  Resharder::Because because(cx.resharder, why, name(side));
  return cx.resharder.to(level.scope, level.operand(side), to);
}

// The result is cut, and the image like it: each device has its windows, and the kernel whole.
std::optional<Sharded> by_windows_of_result(const DotContext& cx, const DotLevel& level) {
  const ConvolutionDims& c = *cx.axes.convolution;
  const Tiling& out = level.out;
  if (cuts(out, c.output_feature) || (c.batch_groups != 1 && cuts(out, c.output_batch))) return std::nullopt;
  if (has_groups(c) && (cuts(level.lhs.tiling, c.input_feature) || cuts(level.lhs.tiling, c.input_batch) ||
                        cuts(level.rhs.tiling, c.kernel_output)))
    return std::nullopt;
  std::vector<int64_t> map(level.lhs.base.rank(), -1);
  map[static_cast<size_t>(c.input_batch)] = c.output_batch;
  std::vector<WindowDim> window(level.lhs.base.rank());
  for (size_t s = 0; s < c.window.size(); ++s) {
    map[static_cast<size_t>(c.input_spatial[s])] = c.output_spatial[s];
    window[static_cast<size_t>(c.input_spatial[s])] = c.window[s];
  }
  const auto in = windowed_input(
      cx, level.scope, level.lhs,
      {window,
       out.mapped(map),
       cx.writer.zero(level.lhs.base.type),
       {"convolution: each device needs the image where its part of the result is",
        "convolution: its window reaches farther than the neighbours' tiles", name(DotSide::lhs)}});
  if (!in) return std::nullopt;
  DotAxes of_rows = cx.axes;
  for (size_t s = 0; s < c.window.size(); ++s)
    of_rows.convolution->window[s] = in->window[static_cast<size_t>(c.input_spatial[s])];
  const Sharded kernel =
      moved(cx, level, DotSide::rhs, Tiling::replicated(level.rhs.base.rank(), level.devices()),
            "convolution, cut along space: its kernel is needed whole");
  InstructionId id = local_dot({cx, cx.instruction, of_rows}, level.base, in->value.id, kernel.id);
  std::vector<std::vector<int64_t>> begins(level.base.rank());
  for (size_t s = 0; s < c.window.size(); ++s)
    begins[static_cast<size_t>(c.output_spatial[s])] = in->begins[static_cast<size_t>(c.input_spatial[s])];
  id = own_part(cx, level.scope, id, begins, tile_dims(out, level.base.dims));
  if (level.finish) id = level.finish(id);
  return Sharded{id, level.base, out, level.in};
}

// Image and kernel are cut alike, as in a kernel's gradient: each device has its part of every window, and
// the parts are added up.
std::optional<Sharded> by_places_in_windows(const DotContext& cx, const DotLevel& level) {
  const ConvolutionDims& c = *cx.axes.convolution;
  for (const WindowDim& w : c.window)
    if (w.base_dilation != 1 || w.reversed) return std::nullopt;
  const std::vector<int64_t> to_kernel = kernel_of_image(c, level.rhs.base.rank());
  Tiling left = level.lhs.tiling, right = level.rhs.tiling;
  if (level.lhs.base.bytes() < level.rhs.base.bytes())
    left = right.mapped(inverse(to_kernel));
  else
    right = left.mapped(to_kernel);
  if (cuts(left, c.input_batch) || (c.feature_groups != 1 && cuts(left, c.input_feature)) ||
      left.tiles() != level.devices())
    return std::nullopt;
  const char* why = "convolution: image and kernel are cut alike, the smaller like the larger";
  Sharded image = moved(cx, level, DotSide::lhs, left, why);
  Sharded kernel = moved(cx, level, DotSide::rhs, right, why);
  std::vector<int64_t> in_kernel = c.kernel_spatial;
  in_kernel.push_back(c.kernel_input);
  const InstructionId zero = cx.writer.zero(kernel.base.type);
  kernel = cx.resharder.masked(level.scope, kernel, in_kernel, zero);
  image = cx.resharder.masked(level.scope, image, {c.input_feature}, zero);
  const std::vector<int64_t> tile = tile_dims(right, kernel.base.dims);
  DotAxes of_rows = cx.axes;
  for (size_t s = 0; s < c.window.size(); ++s) {
    const auto from = static_cast<size_t>(c.input_spatial[s]);
    if (left.counts[from] == 1) continue;
    WindowDim& w = of_rows.convolution->window[s];
    const int64_t steps = (window_places(w, image.base.dims[from]) - 1) * w.stride;
    w.size = tile[static_cast<size_t>(c.kernel_spatial[s])];
    RowWindow rows{from, {}, steps + (w.size - 1) * w.window_dilation + 1};
    for (int64_t place = 0; place < left.counts[from]; ++place)
      rows.starts.push_back(place * w.size * w.window_dilation - w.low);
    w.low = w.high = 0;
    Resharder::Because because(
        cx.resharder, "convolution: rows that its part of the windows reaches come from the neighbours",
        "halo");
    image = exchanged_rows(cx, level.scope, image, exchange_for(cx.writer, image, rows));
    image.id = only_rows_of_array(cx, level.scope, image, rows, cx.writer.zero(image.base.type));
  }
  Resharder::Because because(cx.resharder, "convolution: parts of its windows are added up", "result");
  const int64_t first = cx.writer.count();
  InstructionId id = local_dot({cx, cx.instruction, of_rows}, level.base, image.id, kernel.id);
  if (level.finish) id = level.finish(id);
  const Tiling whole = Tiling::replicated(level.base.rank(), level.devices());
  id =
      cx.writer.all_reduce(id, level.scope, members_below(left, whole), cx.writer.adding_up(level.base.type));
  cx.resharder.note_sum(first, whole, level.in.get());
  return Sharded{id, level.base, whole, level.in};
}

}  // namespace

std::optional<Sharded> space_case(const DotContext& cx, const DotLevel& level) {
  const auto cut = [&](const std::vector<DotAxis>& axes, int64_t DotAxis::*which, const Tiling& tiling) {
    return std::ranges::any_of(axes, [&](const DotAxis& a) { return cuts(tiling, a.*which); });
  };
  const auto anywhere = [&](const std::vector<DotAxis>& axes) {
    return cut(axes, &DotAxis::lhs, level.lhs.tiling) || cut(axes, &DotAxis::rhs, level.rhs.tiling) ||
           cut(axes, &DotAxis::out, level.out);
  };
  if (level.devices() == 1 || !anywhere(cx.axes.space)) return std::nullopt;
  // Where the same devices cut batch or both contracted dimensions those come first, of convolutions in
  // groups space does.
  const bool others = anywhere(cx.axes.batch) || (cut(cx.axes.contracting, &DotAxis::lhs, level.lhs.tiling) &&
                                                  cut(cx.axes.contracting, &DotAxis::rhs, level.rhs.tiling));
  if (others && !has_groups(*cx.axes.convolution)) return std::nullopt;
  if (!level.lhs.tiling.is_replicated() && !level.rhs.tiling.is_replicated())
    if (auto made = by_places_in_windows(cx, level)) return made;
  return level.out.is_replicated() ? std::nullopt : by_windows_of_result(cx, level);
}

}  // namespace shardscope::inline partitioner
