// SPDX-License-Identifier: Apache-2.0
// Rules for instructions that move data: what is cut along a dimension that they change.
#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/partition/reshard/tiling_moves.h"
#include "engine/partition/rules/spmd_visitor.h"
#include "engine/partition/types/reshape_tiling.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

std::string padding_text(const std::vector<PadDim>& padding) {
  std::vector<std::string> parts;
  for (const PadDim& p : padding) {
    parts.push_back(std::to_string(p.low) + "_" + std::to_string(p.high) +
                    (p.interior != 0 ? "_" + std::to_string(p.interior) : ""));
  }
  return join(parts, "x");
}

}  // namespace

Sharded SpmdVisitor::reshape(const Visit& v) {
  const Sharded& from = operand(v, 0);
  const auto forward = through_reshape(from.tiling, from.base.dims, v.i.shape.dims);
  Tiling at = forward.to;
  if (!forward.complete) {
    const auto backward = through_reshape(v.out(), v.i.shape.dims, from.base.dims);
    at = backward.complete ? v.out() : forward.to;
    const Tiling needed = backward.complete ? backward.to : forward.from;
    const Sharded moved = operand_as(v, 0, needed);
    Shape tile = v.i.shape;
    tile.dims = tile_dims(at, tile.dims);
    return result(v, like(v.i, tile, {moved.id}), at);
  }
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  return result(v, like(v.i, tile, {from.id}), at);
}

Sharded SpmdVisitor::concatenate(const Visit& v) {
  const Tiling at = v.out().merged(v.i.dimensions);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) operands.push_back(operand_as(v, k, at).id);
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  return result(v, like(v.i, tile, operands), at);
}

Sharded SpmdVisitor::window(const Sharded& value, size_t dim, const std::vector<int64_t>& starts,
                            int64_t size) {
  const SpmdScope& scope = this->scope();
  const Shape tile = writer_.shape(value.id);
  const int64_t t = tile.dims[dim], count = value.tiling.counts[dim];
  const auto place = value.tiling.coordinates();
  int64_t left = 0, right = 0;
  for (size_t device = 0; device < place.size(); ++device) {
    const int64_t own = place[device][dim] * t;
    left = std::max(left, own - starts[device]);
    right = std::max(right, starts[device] + size - own - t);
  }
  // Rows that stand `distance` tiles before (< 0) or behind: from whoever has that tile, zeros beyond the
  // ends.
  const DeviceGroups rows = members_along(value.tiling, dim, count);
  const int64_t first = writer_.count();
  const auto from_neighbour = [&](InstructionId edge, int64_t distance) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const auto& row : rows.groups) {
      for (int64_t i = 0; i < count; ++i)
        if (i - distance >= 0 && i - distance < count)
          pairs.emplace_back(row[static_cast<size_t>(i)], row[static_cast<size_t>(i - distance)]);
    }
    std::ranges::sort(pairs);
    return writer_.permute(edge, scope, pairs);
  };
  // Tiles further off than the mesh is long are padding whatever they hold.
  std::vector<InstructionId> parts;
  const auto add_halo = [&](int64_t distance, int64_t width, int64_t start) {
    const InstructionId edge = writer_.slice(value.id, dim, start, start + width);
    if (std::abs(distance) < count) {
      parts.push_back(from_neighbour(edge, distance));
    } else {
      parts.push_back(writer_.broadcast(writer_.zero(tile.type), writer_.shape(edge).dims, {}));
    }
  };
  for (int64_t k = (left + t - 1) / t; k >= 1; --k) {
    const int64_t width = std::min(t, left - (k - 1) * t);
    add_halo(-k, width, t - width);
  }
  parts.push_back(value.id);
  for (int64_t k = 1; (k - 1) * t < right; ++k) add_halo(k, std::min(t, right - (k - 1) * t), 0);
  InstructionId id = writer_.concatenate(parts, dim);
  std::vector<int64_t> offsets;
  for (size_t device = 0; device < place.size(); ++device)
    offsets.push_back(starts[device] - place[device][dim] * t + left);
  std::vector<InstructionId> at;
  for (size_t d = 0; d < tile.rank(); ++d) {
    at.push_back(d == dim ? writer_.table(scope, ElementType::s32, offsets) : writer_.zero(ElementType::s32));
  }
  std::vector<int64_t> sizes = tile.dims;
  sizes[dim] = size;
  id = writer_.dynamic_slice(id, at, sizes);
  resharder_.note(first, spmd_sharding_text(value.tiling.sharding(), writer_.dialect()),
                  "the same, other rows");
  return {id, value.base, value.tiling};
}

Sharded SpmdVisitor::slice(const Visit& v) {
  const Shape& base = operand(v, 0).base;
  Tiling at = v.out();
  std::vector<int64_t> strided;
  for (size_t d = 0; d < base.rank(); ++d)
    if (v.i.slice[d].stride != 1) strided.push_back(static_cast<int64_t>(d));
  at = at.merged(strided);
  Sharded value = operand_as(v, 0, at);
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  Resharder::Because because(
      resharder_, "slice: rows that now belong to another device come from its neighbours", "halo");
  std::vector<SliceDim> local = v.i.slice;
  for (size_t d = 0; d < base.rank(); ++d) {
    const SliceDim& s = v.i.slice[d];
    if (at.counts[d] == 1) continue;
    local[d] = {0, tile[d], 1};
    if (s.start == 0 && s.limit == base.dims[d]) continue;
    std::vector<int64_t> starts;
    for (const auto& place : at.coordinates()) starts.push_back(s.start + place[d] * tile[d]);
    value = window(value, d, starts, tile[d]);
  }
  Shape shape = v.i.shape;
  shape.dims = tile;
  if (writer_.shape(value.id).dims == tile) return result(v, value.id, at);
  const InstructionId id = like(v.i, shape, {value.id});
  writer_.at(id).slice = local;
  return result(v, id, at);
}

InstructionId SpmdVisitor::only_rows_of(const Sharded& value, size_t dim, const std::vector<int64_t>& starts,
                                        InstructionId filler) {
  const Shape here = writer_.shape(value.id);
  const Shape index = Shape::array(ElementType::s32, here.dims);
  const InstructionId row = writer_.op(Opcode::iota, index, {});
  writer_.at(row).dimensions = {static_cast<int64_t>(dim)};
  const auto all = [&](InstructionId scalar) { return writer_.broadcast(scalar, here.dims, {}); };
  const InstructionId global =
      writer_.op(Opcode::add, index, {row, all(writer_.table(scope(), ElementType::s32, starts))});
  const std::string end = std::to_string(value.base.dims[dim]);
  const InstructionId above = writer_.compare(global, all(writer_.zero(ElementType::s32)), "GE");
  const InstructionId below = writer_.compare(global, all(writer_.constant(ElementType::s32, end)), "LT");
  const InstructionId inside = writer_.op(Opcode::and_, writer_.shape(above), {above, below});
  return writer_.op(Opcode::select, here, {inside, value.id, all(filler)});
}

Result<ShardedLeaves> SpmdVisitor::pad(const Visit& v) {
  const Shape& base = operand(v, 0).base;
  TRY(std::vector<PadDim> padding, pad_dims(v.i, base.rank()));
  std::vector<int64_t> spread;
  for (size_t d = 0; d < base.rank(); ++d)
    if (padding[d].interior != 0) spread.push_back(static_cast<int64_t>(d));
  const Tiling at = v.out().merged(spread);
  Sharded value = operand_as(v, 0, at);
  const InstructionId filler = whole(v, 1).id;
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  Resharder::Because because(resharder_,
                             "pad: rows that now belong to another device come from its neighbours", "halo");
  for (size_t d = 0; d < base.rank(); ++d) {
    const PadDim p = padding[d];
    if (at.counts[d] == 1) continue;
    padding[d] = {};
    std::vector<int64_t> starts;
    for (const auto& place : at.coordinates()) starts.push_back(place[d] * tile[d] - p.low);
    value = window(value, d, starts, tile[d]);
    value.id = only_rows_of(value, d, starts, filler);
  }
  const bool changed = std::ranges::any_of(
      padding, [](const PadDim& p) { return p.low != 0 || p.high != 0 || p.interior != 0; });
  if (!changed) return ShardedLeaves{result(v, value.id, at)};
  Shape shape = v.i.shape;
  shape.dims = tile;
  const InstructionId id = like(v.i, shape, {value.id, filler});
  for (VerbatimAttribute& a : writer_.at(id).verbatim)
    if (a.key == "padding") a.value = padding_text(padding);
  return ShardedLeaves{result(v, id, at)};
}

Sharded SpmdVisitor::reverse(const Visit& v) {
  Tiling at = v.out();
  std::vector<int64_t> uneven;
  for (const int64_t d : v.i.dimensions)
    if (v.i.shape.dims[static_cast<size_t>(d)] % at.counts[static_cast<size_t>(d)] != 0) uneven.push_back(d);
  at = at.merged(uneven);
  const Sharded value = operand_as(v, 0, at);
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  const InstructionId id = like(v.i, tile, {value.id});
  // Each device has turned its own tile; the tiles stand in the opposite order.
  Tiling turned = at;
  auto place = at.coordinates();
  for (auto& p : place)
    for (const int64_t d : v.i.dimensions)
      p[static_cast<size_t>(d)] = at.counts[static_cast<size_t>(d)] - 1 - p[static_cast<size_t>(d)];
  std::ranges::stable_sort(turned.order, {}, [&](int64_t device) {
    int64_t flat = 0;
    for (size_t d = 0; d < at.rank(); ++d) flat = flat * at.counts[d] + place[static_cast<size_t>(device)][d];
    return flat;
  });
  return result(v, id, turned);
}

}  // namespace shardscope
