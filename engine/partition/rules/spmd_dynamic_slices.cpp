// SPDX-License-Identifier: Apache-2.0
// Slices and updates at places that are computed.
#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/partition/reshard/local_index.h"
#include "engine/partition/rules/spmd_visitor.h"

namespace shardscope {

Sharded SpmdVisitor::dynamic_slice(const Visit& v) {
  const Shape& base = operand(v, 0).base;
  std::vector<int64_t> moving;
  for (size_t d = 0; d < base.rank(); ++d)
    if (v.i.dynamic_slice_sizes[d] != base.dims[d]) moving.push_back(static_cast<int64_t>(d));
  const Tiling at = v.out().merged(moving);
  std::vector<InstructionId> operands{operand_as(v, 0, at).id};
  for (size_t k = 1; k < v.i.operands.size(); ++k) operands.push_back(whole(v, k).id);
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  const InstructionId id = like(v.i, tile, operands);
  writer_.at(id).dynamic_slice_sizes = tile.dims;
  return result(v, id, at);
}

// An update that cannot lie in two tiles is written by the device that has its place: one element along the
// dimension, or a constant start that stays within a tile.
Sharded SpmdVisitor::dynamic_update_slice(const Visit& v) {
  const Shape& base = operand(v, 0).base;
  const Shape& update = operand(v, 1).base;
  const auto constant_start = [&](size_t d) -> std::optional<int64_t> {
    const Instruction& start = here_->at(v.i.operands[2 + d]);
    return start.opcode == Opcode::constant ? parse_int(start.literal) : std::nullopt;
  };
  std::vector<int64_t> moving, whole_dims;
  for (size_t d = 0; d < base.rank(); ++d) {
    if (update.dims[d] == base.dims[d]) continue;
    moving.push_back(static_cast<int64_t>(d));
    const int64_t tile = tile_dims(v.out(), base.dims)[d];
    const auto start = constant_start(d);
    const bool in_one =
        update.dims[d] == 1 || (start && *start >= 0 && *start + update.dims[d] <= base.dims[d] &&
                                *start / tile == (*start + update.dims[d] - 1) / tile);
    if (!in_one) whole_dims.push_back(static_cast<int64_t>(d));
  }
  const Tiling at = v.out().merged(whole_dims);
  const Sharded into = operand_as(v, 0, at), part = operand_as(v, 1, at.merged(moving));
  std::vector<InstructionId> operands{into.id, part.id};
  const std::vector<int64_t> tile_size = tile_dims(at, base.dims);
  const auto place = at.coordinates();
  std::optional<InstructionId> inside;
  for (size_t d = 0; d < base.rank(); ++d) {
    InstructionId start = whole(v, 2 + d).id;
    if (std::ranges::count(moving, static_cast<int64_t>(d)) > 0 && at.counts[d] > 1) {
      LocalIndex local;
      local.sizes = {base.dims[d] - update.dims[d] + 1};
      local.tiles = {tile_size[d] - update.dims[d] + 1};
      std::vector<int64_t>& offsets = local.offsets.emplace_back();
      for (const auto& p : place) offsets.push_back(p[d] * tile_size[d]);
      const InstructionId place_here = places_in_tile(writer_, scope(), local, start, true);
      const InstructionId here = falls_inside(writer_, local, place_here);
      const Shape type = writer_.shape(start);  // one for the starts of all dimensions
      start = type.type == ElementType::s32 ? place_here : writer_.op(Opcode::convert, type, {place_here});
      inside = inside ? writer_.op(Opcode::and_, writer_.shape(here), {*inside, here}) : here;
    }
    operands.push_back(start);
  }
  const Shape tile = writer_.shape(into.id);
  InstructionId id = like(v.i, tile, operands);
  if (inside) {
    const InstructionId mask = writer_.broadcast(*inside, tile.dims, {});
    id = writer_.op(Opcode::select, tile, {mask, id, into.id});
  }
  return result(v, id, at);
}

}  // namespace shardscope
