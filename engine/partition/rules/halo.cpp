// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/halo.h"

#include <algorithm>

#include "engine/base/units.h"
#include "engine/partition/rules/compact_halo.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// The tiles of a value along one dimension, how many rows before and behind them a window reaches, and how
// many of those are rows of the array, which a neighbour has.
struct Halo {
  int64_t tile = 0, count = 0;
  int64_t left = 0, right = 0;
  int64_t left_rows = 0, right_rows = 0;
  std::vector<int64_t> place;  // of each device
  DeviceGroups rows;           // devices with the tiles of one row each
};

Halo halo_of(const SpmdWriter& writer, const Sharded& value, const RowWindow& window) {
  Halo out;
  out.tile = writer.shape(value.id).dims[window.dim];
  out.count = value.tiling.counts[window.dim];
  out.rows = members_along(value.tiling, window.dim, out.count);
  out.place = value.tiling.coordinates().along(window.dim);
  for (size_t device = 0; device < out.place.size(); ++device) {
    const int64_t own = out.place[device] * out.tile;
    const int64_t start = window.starts[device], end = start + window.size;
    out.left = std::max(out.left, own - start);
    out.right = std::max(out.right, end - own - out.tile);
    const int64_t read = window.read.empty() ? window.size : window.read[device];
    const int64_t first = std::max<int64_t>(start, 0),
                  last = std::min(start + read, value.base.dims[window.dim]);
    if (first >= last) continue;
    out.left_rows = std::max(out.left_rows, own - first);
    out.right_rows = std::max(out.right_rows, last - own - out.tile);
  }
  return out;
}

// Everybody gets what stands `distance` tiles before (< 0) or behind, zeros beyond the ends.
std::vector<std::pair<int64_t, int64_t>> from_neighbour(const Halo& halo, int64_t distance) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const auto& row : halo.rows.groups)
    for (int64_t i = 0; i < halo.count; ++i)
      if (i - distance >= 0 && i - distance < halo.count)
        pairs.emplace_back(row[static_cast<size_t>(i)], row[static_cast<size_t>(i - distance)]);
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace

Sharded with_rows(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                  const RowWindow& window) {
  SpmdWriter& writer = cx.writer;
  const Shape tile = writer.shape(value.id);
  const int64_t first = writer.count();
  if (writer.dialect() == SpmdDialect::current && is_far(value, tile.dims[window.dim], window)) {
    const InstructionId rows = compact_rows(writer, scope, value, window);
    cx.resharder.note(first, value.tiling, "the same, other rows");
    return {rows, value.base, value.tiling};
  }
  const Halo halo = halo_of(writer, value, window);
  const int64_t t = halo.tile;
  // Of an array without rows no device has any for its neighbours.
  const int64_t left_rows = t == 0 ? 0 : halo.left_rows, right_rows = t == 0 ? 0 : halo.right_rows;
  std::vector<InstructionId> parts;
  const auto add_edge = [&](int64_t distance, int64_t width, int64_t start) {
    const InstructionId edge = writer.slice(value.id, window.dim, start, start + width);
    parts.push_back(writer.permute(edge, scope, from_neighbour(halo, distance)));
  };
  const auto add_nothing = [&](int64_t width) {
    if (width == 0) return;
    std::vector<int64_t> dims = tile.dims;
    dims[window.dim] = width;
    parts.push_back(writer.broadcast(writer.zero(tile.type), dims, {}));
  };
  add_nothing(halo.left - left_rows);
  for (int64_t k = left_rows == 0 ? 0 : ceil_div(left_rows, t); k >= 1; --k) {
    const int64_t width = std::min(t, left_rows - (k - 1) * t);
    add_edge(-k, width, t - width);
  }
  parts.push_back(value.id);
  for (int64_t k = 1; (k - 1) * t < right_rows; ++k) add_edge(k, std::min(t, right_rows - (k - 1) * t), 0);
  add_nothing(halo.right - right_rows);
  InstructionId id = writer.concatenate(parts, window.dim);
  std::vector<int64_t> offsets, sizes = tile.dims;
  for (size_t device = 0; device < halo.place.size(); ++device)
    offsets.push_back(window.starts[device] - halo.place[device] * t + halo.left);
  std::vector<InstructionId> at;
  for (size_t d = 0; d < tile.rank(); ++d)
    at.push_back(d == window.dim ? writer.table(scope, ElementType::s32, offsets)
                                 : writer.zero(ElementType::s32));
  sizes[window.dim] = window.size;
  id = writer.dynamic_slice(id, at, sizes);
  cx.resharder.note(first, value.tiling, "the same, other rows");
  return {id, value.base, value.tiling};
}

InstructionId only_rows_of_array(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                                 const RowWindow& window, InstructionId filler) {
  SpmdWriter& writer = cx.writer;
  const Shape here = writer.shape(value.id);
  const Shape index = Shape::array(ElementType::s32, here.dims);
  const InstructionId row = writer.op(Opcode::iota, index, {});
  writer.at(row).dimensions = {static_cast<int64_t>(window.dim)};
  const auto all = [&](InstructionId scalar) { return writer.broadcast(scalar, here.dims, {}); };
  const InstructionId global =
      writer.op(Opcode::add, index, {row, all(writer.table(scope, ElementType::s32, window.starts))});
  const std::string end = std::to_string(value.base.dims[window.dim]);
  const InstructionId above =
      writer.compare(global, all(writer.zero(ElementType::s32)), CompareDirection::ge);
  const InstructionId below =
      writer.compare(global, all(writer.constant(ElementType::s32, end)), CompareDirection::lt);
  const InstructionId inside = writer.op(Opcode::and_, writer.shape(above), {above, below});
  return writer.op(Opcode::select, here, {inside, value.id, all(filler)});
}

}  // namespace shardscope::inline partitioner
