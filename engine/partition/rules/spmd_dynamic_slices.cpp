// SPDX-License-Identifier: Apache-2.0
// Slices and updates at places that are computed.
#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/partition/reshard/local_index.h"
#include "engine/partition/rules/rules.h"

namespace shardscope::inline partitioner {
namespace {

// Along which dimensions an update does not cover the operand, and along which of them it may lie in two
// tiles: neither one element nor a constant start that stays within a tile.
struct UpdateDims {
  std::vector<int64_t> moving, whole;
};

UpdateDims update_dims(const Visit& v) {
  const Shape& base = v.operand(0).base;
  const Shape& update = v.operand(1).base;
  const std::vector<int64_t> tiles = tile_dims(v.out(), base.dims);
  UpdateDims out;
  for (size_t d = 0; d < base.rank(); ++d) {
    const int64_t size = update.dims[d];
    if (size == base.dims[d]) continue;
    out.moving.push_back(static_cast<int64_t>(d));
    const auto start = parse_int(v.source_of(2 + d).literal);
    const bool in_one = start && *start >= 0 && *start + size <= base.dims[d] &&
                        *start / tiles[d] == (*start + size - 1) / tiles[d];
    if (size != 1 && !in_one) out.whole.push_back(static_cast<int64_t>(d));
  }
  return out;
}

// Where an update begins in a device's own tile, and whether that tile is the one it lies in.
struct OwnStart {
  InstructionId at, inside;
};

OwnStart own_start(const SpmdContext& cx, const Visit& v, const Tiling& tiling, size_t dim,
                   InstructionId start) {
  SpmdWriter& writer = cx.writer;
  const int64_t size = v.operand(0).base.dims[dim], update = v.operand(1).base.dims[dim];
  const int64_t tile = tile_dims(tiling, v.operand(0).base.dims)[dim];
  LocalIndex local;
  local.sizes = {size - update + 1};
  local.tiles = {tile - update + 1};
  std::vector<int64_t>& offsets = local.offsets.emplace_back();
  for (const int64_t p : tiling.coordinates().along(dim)) offsets.push_back(p * tile);
  const InstructionId here = places_in_tile(writer, v.scope(), local, start, true);
  const InstructionId inside = falls_inside(writer, local, here);
  const Shape type = writer.shape(start);  // one for the starts of all dimensions
  return {type.type == ElementType::s32 ? here : writer.op(Opcode::convert, type, {here}), inside};
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> dynamic_slice(const SpmdContext& cx, const Visit& v) {
  const Shape& base = v.operand(0).base;
  std::vector<int64_t> moving;
  for (size_t d = 0; d < base.rank(); ++d)
    if (v.i.dynamic_slice_sizes[d] != base.dims[d]) moving.push_back(static_cast<int64_t>(d));
  const Tiling at = v.out().merged(moving);
  std::vector<InstructionId> operands{operand_as(cx, v, 0, at).id};
  for (size_t k = 1; k < v.i.operands.size(); ++k) operands.push_back(whole_operand(cx, v, k).id);
  const Sharded out = write_tiled(cx, v, at, std::move(operands));
  cx.writer.at(out.id).dynamic_slice_sizes = cx.writer.shape(out.id).dims;
  return ShardedLeaves{out};
}

// An update that cannot lie in two tiles is written by the device that has its place.
Result<ShardedLeaves> dynamic_update_slice(const SpmdContext& cx, const Visit& v) {
  SpmdWriter& writer = cx.writer;
  const UpdateDims dims = update_dims(v);
  const Tiling at = v.out().merged(dims.whole);
  const Sharded into = operand_as(cx, v, 0, at), part = operand_as(cx, v, 1, at.merged(dims.moving));
  std::vector<InstructionId> operands{into.id, part.id};
  std::optional<InstructionId> inside;
  for (size_t d = 0; d < into.base.rank(); ++d) {
    InstructionId start = whole_operand(cx, v, 2 + d).id;
    if (std::ranges::count(dims.moving, static_cast<int64_t>(d)) > 0 && at.counts[d] > 1) {
      const OwnStart own = own_start(cx, v, at, d, start);
      start = own.at;
      inside = inside ? writer.op(Opcode::and_, writer.shape(own.inside), {*inside, own.inside}) : own.inside;
    }
    operands.push_back(start);
  }
  const Shape tile = writer.shape(into.id);
  InstructionId id = write_like(cx, v.i, tile, operands);
  if (inside) {
    const InstructionId mask = writer.broadcast(*inside, tile.dims, {});
    id = writer.op(Opcode::select, tile, {mask, id, into.id});
  }
  return ShardedLeaves{{id, v.i.shape, at}};
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
