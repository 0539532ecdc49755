// SPDX-License-Identifier: Apache-2.0
// Rules for instructions that move data: what is cut along a dimension that they change.
#include <algorithm>
#include <numeric>

#include "engine/partition/rules/halo.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/whole_dims.h"
#include "engine/partition/types/reshape_tiling.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
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

// An array whose first rows along `dim` come behind the others.
struct Rotation {
  InstructionId of;
  size_t dim = 0;
  int64_t first = 0;  // rows that go to the end
};
std::optional<Rotation> rotation_of(const Visit& v) {
  if (v.i.operands.size() != 2) return std::nullopt;
  const Instruction &rest = v.source_of(0), &start = v.source_of(1);
  if (rest.opcode != Opcode::slice || start.opcode != Opcode::slice || rest.operands != start.operands)
    return std::nullopt;
  const auto dim = static_cast<size_t>(v.i.dimensions.front());
  const std::vector<int64_t>& dims = v.here.at(rest.operands.front()).shape.dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    const SliceDim &r = rest.slice[d], &s = start.slice[d];
    const int64_t cut = d == dim ? s.limit : 0;
    if (r.stride != 1 || s.stride != 1 || s.start != 0 || r.start != cut || r.limit != dims[d])
      return std::nullopt;
    if (d != dim && s.limit != dims[d]) return std::nullopt;
  }
  return Rotation{rest.operands.front(), dim, start.slice[dim].limit};
}

// Rows [from, to) of the tile that stands `distance` places further on, round the end.
InstructionId rows_from(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                        const Rotation& rotation, int64_t distance, std::pair<int64_t, int64_t> rows) {
  const InstructionId part = cx.writer.slice(value.id, rotation.dim, rows.first, rows.second);
  const int64_t count = value.tiling.counts[rotation.dim];
  if (distance % count == 0) return part;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const auto& row : members_along(value.tiling, rotation.dim, count).groups)
    for (int64_t place = 0; place < count; ++place)
      pairs.emplace_back(row[static_cast<size_t>((place + distance) % count)],
                         row[static_cast<size_t>(place)]);
  std::ranges::sort(pairs);
  return cx.writer.permute(part, scope, pairs);
}

// What each device needs of a rotated array stands on two others at most.
std::optional<ShardedLeaves> rotated(const SpmdContext& cx, const Visit& v) {
  const auto rotation = rotation_of(v);
  if (!rotation || cx.writer.dialect() == SpmdDialect::tpu2022) return std::nullopt;
  const int64_t count = v.out().counts[rotation->dim], size = v.i.shape.dims[rotation->dim];
  if (count == 1 || size % count != 0) return std::nullopt;
  Resharder::Because because(cx.resharder, "concatenate: rows that go round come from other devices",
                             "rotation");
  const Sharded& source = v.places.values.at({rotation->of.value, v.region}).front();
  const Sharded value = cx.resharder.to(v.scope(), source, v.out());
  const int64_t tile = size / count, far = rotation->first / tile, cut = rotation->first % tile;
  const int64_t first = cx.writer.count();
  InstructionId id = rows_from(cx, v.scope(), value, *rotation, far, {cut, tile});
  if (cut > 0) {
    const InstructionId end = rows_from(cx, v.scope(), value, *rotation, far + 1, {0, cut});
    id = cx.writer.concatenate({id, end}, rotation->dim);
  }
  cx.resharder.note(first, v.out(), "the same, rows turned round");
  return ShardedLeaves{{id, v.i.shape, v.out()}};
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
  if (auto turned_round = rotated(cx, v)) return *std::move(turned_round);
  // A cut that goes to another dimension of all operands goes there and back.
  std::vector<int64_t> dims = v.i.shape.dims;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = std::gcd(dims[d], v.operand(k).base.dims[d]);
  const Tiling at = whole_along(v.out(), dims, v.i.dimensions);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) {
    const bool is_needed = v.operand(k).base.element_count() > 0 || v.i.shape.element_count() == 0;
    if (is_needed) operands.push_back(operand_as(cx, v, k, at).id);
  }
  return ShardedLeaves{write_tiled(cx, v, at, std::move(operands))};
}

Result<ShardedLeaves> slice(const SpmdContext& cx, const Visit& v) {
  const Shape& base = v.operand(0).base;
  const Tiling at = v.out();
  Sharded value = operand_as(cx, v, 0, at);
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  Resharder::Because because(
      cx.resharder, "slice: rows that now belong to another device come from its neighbours", "halo");
  std::vector<SliceDim> local = v.i.slice;
  for (size_t d = 0; d < base.rank(); ++d) {
    const SliceDim& s = v.i.slice[d];
    if (at.counts[d] == 1) continue;
    RowWindow rows{d, {}, tile[d] == 0 ? 0 : (tile[d] - 1) * s.stride + 1};
    local[d] = {0, rows.size, s.stride};
    if (s.start == 0 && s.limit == base.dims[d] && s.stride == 1) continue;
    for (const int64_t place : at.coordinates().along(d)) {
      rows.starts.push_back(place * tile[d] * s.stride + s.start);
      const int64_t left = std::clamp<int64_t>(v.i.shape.dims[d] - place * tile[d], 0, tile[d]);
      rows.read.push_back(left == 0 ? 0 : (left - 1) * s.stride + 1);
    }
    value = with_rows(cx, v.scope(), value, rows);
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
}  // namespace shardscope::inline partitioner
