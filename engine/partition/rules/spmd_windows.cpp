// SPDX-License-Identifier: Apache-2.0
// Windows over arrays: what is cut along a dimension of which they take one element at a time stays so; so
// does what is cut between them. Where they reach into the next tiles rows come from the neighbours; farther
// than a tile the dimension is gathered.
#include <algorithm>

#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/halo.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

bool is_plain(const WindowDim& w) {
  return w.base_dilation == 1 && w.low == 0 && w.high == 0;
}

// An element at a time: where it lies does not matter.
bool is_single(const WindowDim& w) {
  return w.size == 1 && w.stride == 1 && is_plain(w);
}

// Each window lies in one of `count` tiles, and the next begins where it ends.
bool stays_in_tiles(const WindowDim& w, int64_t size, int64_t count) {
  return w.size == w.stride && w.window_dilation == 1 && is_plain(w) && size % (count * w.stride) == 0;
}

// The rows of the operand that a tile of the result is made of.
RowWindow rows_read(const WindowDim& w, size_t dim, const Tiling& at, int64_t tile) {
  RowWindow out{dim, {}, (tile - 1) * w.stride + (w.size - 1) * w.window_dilation + 1};
  for (const int64_t place : at.coordinates().along(dim))
    out.starts.push_back(place * tile * w.stride - w.low);
  return out;
}

// No row is farther off than the neighbours' tiles.
bool is_near(const RowWindow& rows, const Tiling& at, int64_t tile) {
  const std::vector<int64_t> place = at.coordinates().along(rows.dim);
  for (size_t device = 0; device < place.size(); ++device) {
    const int64_t own = place[device] * tile;
    if (rows.starts[device] < own - tile || rows.starts[device] + rows.size > own + 2 * tile) return false;
  }
  return true;
}

// How a result is cut when the operand is cut alike, and where that needs rows of others.
struct WindowCut {
  Tiling at;
  std::vector<RowWindow> halos;
};

WindowCut cut_of(const Visit& v, const std::vector<WindowDim>& window, const std::vector<int64_t>& result) {
  const std::vector<int64_t>& base = v.operand(0).base.dims;
  WindowCut out{v.out(), {}};
  if (out.at.is_replicated()) {
    out.at = v.operand(0).tiling;
    for (size_t d = 0; d < window.size(); ++d)
      if (!is_single(window[d])) out.at = out.at.merged({static_cast<int64_t>(d)});
  }
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    const int64_t count = out.at.counts[d];
    if (count == 1 || is_single(w) || stays_in_tiles(w, base[d], count)) continue;
    RowWindow rows = rows_read(w, d, out.at, (result[d] + count - 1) / count);
    const int64_t tile = (base[d] + count - 1) / count;
    if (w.base_dilation == 1 && result[d] > 0 && tile > 0 && is_near(rows, out.at, tile))
      out.halos.push_back(std::move(rows));
    else
      out.at = out.at.merged({static_cast<int64_t>(d)});
  }
  return out;
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> reduce_window(const SpmdContext& cx, const Visit& v) {
  const size_t arrays = v.i.operands.size() / 2;
  TRY(std::vector<WindowDim> window, window_dims(v.i, v.operand(0).base.rank()));
  const Shape& first = v.i.shape.is_tuple ? v.i.shape.elements.front() : v.i.shape;
  const WindowCut cut = cut_of(v, window, first.dims);
  std::vector<InstructionId> operands, inits;
  for (size_t k = 0; k < arrays; ++k) inits.push_back(whole_operand(cx, v, arrays + k).id);
  Resharder::Because because(
      cx.resharder, "reduce-window: rows that its windows reach into come from the neighbours", "halo");
  for (size_t k = 0; k < arrays; ++k) {
    Sharded value = operand_as(cx, v, k, cut.at);
    for (const RowWindow& rows : cut.halos) {
      value = with_rows(cx, v.scope(), value, rows);
      value.id = only_rows_of_array(cx, v.scope(), value, rows, inits[k]);
    }
    operands.push_back(value.id);
  }
  for (const RowWindow& rows : cut.halos) window[rows.dim].low = window[rows.dim].high = 0;
  operands.insert(operands.end(), inits.begin(), inits.end());
  TRY(const Instruction made, with_called(cx, v));
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), cut.at);
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), std::move(operands));
  cx.writer.at(id).attributes = Window{std::move(window)};
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

// The source has an element for each window: it is cut as those are.
Result<ShardedLeaves> select_and_scatter(const SpmdContext& cx, const Visit& v) {
  const std::vector<int64_t>& base = v.operand(0).base.dims;
  TRY(const std::vector<WindowDim> window, window_dims(v.i, base.size()));
  Tiling at = v.out().is_replicated() ? v.operand(0).tiling : v.out();
  for (size_t d = 0; d < window.size(); ++d)
    if (at.counts[d] > 1 && !is_single(window[d]) && !stays_in_tiles(window[d], base[d], at.counts[d]))
      at = at.merged({static_cast<int64_t>(d)});
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < 2; ++k) operands.push_back(operand_as(cx, v, k, at).id);
  operands.push_back(whole_operand(cx, v, 2).id);
  TRY(const Instruction made, with_called(cx, v));
  const std::vector<Tiling> tilings{at};
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), std::move(operands));
  return ShardedLeaves{{id, v.i.shape, at}};
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
