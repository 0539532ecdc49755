// SPDX-License-Identifier: Apache-2.0
// Rules for instructions that move data: what is cut along a dimension that they change.
#include <algorithm>

#include "engine/partition/rules/halo.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/reshape_tiling.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

// Each device has turned its own tile; the tiles stand in the opposite order.
Tiling turned(const Tiling& at, const std::vector<int64_t>& dims) {
  Tiling out = at;
  auto place = at.coordinates();
  for (size_t device = 0; device < place.size(); ++device)
    for (const int64_t dim : dims) {
      const auto d = static_cast<size_t>(dim);
      place[device][d] = at.counts[d] - 1 - place[device][d];
    }
  std::ranges::stable_sort(out.order.edit(), {}, [&](int64_t device) {
    int64_t flat = 0;
    for (size_t d = 0; d < at.rank(); ++d) flat = flat * at.counts[d] + place[static_cast<size_t>(device)][d];
    return flat;
  });
  return out;
}

// Along `dim` the tiles of the result at `at` begin `shift` rows behind those that the operand would have.
RowWindow shifted_rows(const Tiling& at, size_t dim, int64_t tile, int64_t shift) {
  RowWindow out{dim, {}, tile};
  for (const int64_t place : at.coordinates().along(dim)) out.starts.push_back(place * tile + shift);
  return out;
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> broadcast(const SpmdContext& cx, const Visit& v) {
  const Sharded from = operand_as(cx, v, 0, v.out().mapped(v.i.dimensions));
  return ShardedLeaves{write_tiled(cx, v, v.out(), {from.id})};
}

Result<ShardedLeaves> transpose(const SpmdContext& cx, const Visit& v) {
  std::vector<int64_t> back(v.i.dimensions.size());
  for (size_t d = 0; d < back.size(); ++d)
    back[static_cast<size_t>(v.i.dimensions[d])] = static_cast<int64_t>(d);
  const Sharded from = operand_as(cx, v, 0, v.out().mapped(back));
  return ShardedLeaves{write_tiled(cx, v, v.out(), {from.id})};
}

Result<ShardedLeaves> reshape(const SpmdContext& cx, const Visit& v) {
  const Sharded& from = v.operand(0);
  const auto forward = through_reshape(from.tiling, from.base.dims, v.i.shape.dims);
  if (forward.complete) return ShardedLeaves{write_tiled(cx, v, forward.to, {from.id})};
  const auto backward = through_reshape(v.out(), v.i.shape.dims, from.base.dims);
  const Sharded moved = operand_as(cx, v, 0, backward.complete ? backward.to : forward.from);
  return ShardedLeaves{write_tiled(cx, v, backward.complete ? v.out() : forward.to, {moved.id})};
}

// Between layouts it is written out before (spmd_prepare).
Result<ShardedLeaves> bitcast(const SpmdContext& cx, const Visit& v) {
  const bool as_many = v.operand(0).base.element_count() == v.i.shape.element_count();
  return as_many ? reshape(cx, v) : replicated(cx, v);
}

Result<ShardedLeaves> concatenate(const SpmdContext& cx, const Visit& v) {
  const Tiling at = v.out().merged(v.i.dimensions);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) operands.push_back(operand_as(cx, v, k, at).id);
  return ShardedLeaves{write_tiled(cx, v, at, std::move(operands))};
}

Result<ShardedLeaves> slice(const SpmdContext& cx, const Visit& v) {
  const Shape& base = v.operand(0).base;
  std::vector<int64_t> strided;
  for (size_t d = 0; d < base.rank(); ++d)
    if (v.i.slice[d].stride != 1) strided.push_back(static_cast<int64_t>(d));
  const Tiling at = v.out().merged(strided);
  Sharded value = operand_as(cx, v, 0, at);
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  Resharder::Because because(
      cx.resharder, "slice: rows that now belong to another device come from its neighbours", "halo");
  std::vector<SliceDim> local = v.i.slice;
  for (size_t d = 0; d < base.rank(); ++d) {
    const SliceDim& s = v.i.slice[d];
    if (at.counts[d] == 1) continue;
    local[d] = {0, tile[d], 1};
    if (s.start == 0 && s.limit == base.dims[d]) continue;
    value = with_rows(cx, v.scope(), value, shifted_rows(at, d, tile[d], s.start));
  }
  if (cx.writer.shape(value.id).dims == tile) return ShardedLeaves{{value.id, v.i.shape, at}};
  const Sharded out = write_tiled(cx, v, at, {value.id});
  cx.writer.at(out.id).slice = local;
  return ShardedLeaves{out};
}

Result<ShardedLeaves> pad(const SpmdContext& cx, const Visit& v) {
  const Shape& base = v.operand(0).base;
  TRY(std::vector<PadDim> padding, pad_dims(v.i, base.rank()));
  std::vector<int64_t> spread;
  for (size_t d = 0; d < base.rank(); ++d)
    if (padding[d].interior != 0) spread.push_back(static_cast<int64_t>(d));
  const Tiling at = v.out().merged(spread);
  Sharded value = operand_as(cx, v, 0, at);
  const InstructionId filler = whole_operand(cx, v, 1).id;
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  Resharder::Because because(cx.resharder,
                             "pad: rows that now belong to another device come from its neighbours", "halo");
  for (size_t d = 0; d < base.rank(); ++d) {
    const PadDim p = padding[d];
    if (at.counts[d] == 1) continue;
    padding[d] = {};
    const RowWindow rows = shifted_rows(at, d, tile[d], -p.low);
    value = with_rows(cx, v.scope(), value, rows);
    value.id = only_rows_of_array(cx, v.scope(), value, rows, filler);
  }
  const bool changed = std::ranges::any_of(
      padding, [](const PadDim& p) { return p.low != 0 || p.high != 0 || p.interior != 0; });
  if (!changed) return ShardedLeaves{{value.id, v.i.shape, at}};
  const Sharded out = write_tiled(cx, v, at, {value.id, filler});
  cx.writer.at(out.id).attributes = Padding{std::move(padding)};
  return ShardedLeaves{out};
}

Result<ShardedLeaves> reverse(const SpmdContext& cx, const Visit& v) {
  std::vector<int64_t> uneven;
  for (const int64_t d : v.i.dimensions) {
    const auto at = static_cast<size_t>(d);
    if (v.i.shape.dims[at] % v.out().counts[at] != 0) uneven.push_back(d);
  }
  const Tiling at = v.out().merged(uneven);
  const Sharded value = operand_as(cx, v, 0, at);
  const Sharded out = write_tiled(cx, v, at, {value.id});
  return ShardedLeaves{{out.id, out.base, turned(at, v.i.dimensions)}};
}

}  // namespace spmd_rule
}  // namespace shardscope
