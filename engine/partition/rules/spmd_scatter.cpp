// SPDX-License-Identifier: Apache-2.0
// As gather: windows that take a dimension whole leave it cut, updates that fall into another device's part
// are out of bounds here and dropped. Indices and updates that are cut are combined over the devices: where
// the reducer has an identity, one of them starts with the operand and the others with that.
#include <algorithm>

#include "engine/partition/reshard/local_index.h"
#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/index_dims.h"
#include "engine/partition/rules/rules.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/sharding/moves.h"

namespace shardscope {
namespace {

// What a scatter does with each dimension.
struct ScatterRoles {
  ScatterDims dims;
  IntList batch, update_batch;          // of indices and updates, in pairs
  IntList written, moving;              // of the operand: one element of it is written; cannot stay cut
  IntList passing, passing_in_updates;  // written whole, so it may stay cut: of operand and updates, in pairs
};

ScatterRoles roles_of(const Visit& v, ScatterDims s) {
  const IntList& sizes = v.operand(0).base.dims;
  const IntList& update_sizes = v.operand(2).base.dims;
  ScatterRoles out;
  IntList dropped = s.inserted_window_dims;
  dropped.insert(dropped.end(), s.input_batching_dims.begin(), s.input_batching_dims.end());
  const IntList window = without(sizes.size(), dropped);  // by update window dimension
  out.batch = without(v.operand(1).base.rank(), {s.index_vector_dim});
  out.update_batch = without(update_sizes.size(), s.update_window_dims);
  for (size_t w = 0; w < window.size(); ++w) {
    const int64_t d = window[w], u = s.update_window_dims[w];
    const int64_t size = update_sizes[static_cast<size_t>(u)];
    const bool placed = holds(s.to_operand_dims, d);
    if (size == sizes[static_cast<size_t>(d)] && !placed) {
      out.passing.push_back(d);
      out.passing_in_updates.push_back(u);
    } else {
      (size == 1 && placed ? out.written : out.moving).push_back(d);
    }
  }
  for (const int64_t d : s.inserted_window_dims)
    (holds(s.to_operand_dims, d) ? out.written : out.moving).push_back(d);
  // Arrays paired with the indices' batch dimensions are not cut there.
  out.moving.insert(out.moving.end(), s.input_batching_dims.begin(), s.input_batching_dims.end());
  out.dims = std::move(s);
  return out;
}

// How operand and indices are cut, and both as one array of the dimensions of both.
struct ScatterTilings {
  Tiling target, index, both;
};

// `combines`: the reducer allows cut indices.
ScatterTilings tilings_of(const Visit& v, const ScatterRoles& r, bool combines) {
  const Shape& indices = v.operand(1).base;
  ScatterTilings out;
  out.target = v.operand(0).tiling;
  if (out.target.is_replicated()) out.target = v.out();
  out.target = out.target.merged(r.moving);
  // Indices and the updates' batch dimensions are cut alike.
  const IntList to_update = paired(v.operand(2).base.rank(), r.update_batch, r.batch);
  const IntList to_index = paired(indices.rank(), r.batch, r.update_batch);
  const Tiling whole = Tiling::replicated(indices.rank(), v.scope().size());
  out.index = whole;
  if (combines) {
    out.index = v.operand(2).tiling.mapped(to_index);
    if (out.index.is_replicated()) out.index = v.operand(1).tiling.mapped(to_update).mapped(to_index);
    for (const int64_t d : r.batch) {  // padding would be written too
      const auto at = static_cast<size_t>(d);
      if (indices.dims[at] % out.index.counts[at] != 0) out.index = out.index.merged({d});
    }
  }
  auto both = side_by_side(out.target, out.index);
  if (!both) {
    out.index = whole;
    both = side_by_side(out.target, out.index);
  }
  CHECK(both.has_value());
  out.both = *both;
  return out;
}

// The updates: cut by batch like the indices, by window like the operand.
IntList updates_in_both(const Visit& v, const ScatterRoles& r) {
  const auto rank = static_cast<int64_t>(v.operand(0).base.rank());
  IntList out(v.operand(2).base.rank(), -1);
  for (size_t b = 0; b < r.batch.size(); ++b) out[static_cast<size_t>(r.update_batch[b])] = rank + r.batch[b];
  for (size_t p = 0; p < r.passing.size(); ++p)
    out[static_cast<size_t>(r.passing_in_updates[p])] = r.passing[p];
  return out;
}

// The operand on the first device along `dims` of `both`, the reducer's identity on the others.
InstructionId start_on_first(const SpmdContext& cx, const Visit& v, InstructionId into, const Tiling& both,
                             const IntList& dims, const std::string& identity) {
  SpmdWriter& writer = cx.writer;
  IntList is_first;
  const TilePlaces place = both.coordinates();
  for (size_t device = 0; device < place.size(); ++device)
    is_first.push_back(
        std::ranges::all_of(dims, [&](int64_t d) { return place[device][static_cast<size_t>(d)] == 0; }));
  const Shape tile = writer.shape(into);
  const InstructionId own =
      writer.broadcast(writer.table(v.scope(), ElementType::s32, is_first), tile.dims, {});
  const InstructionId none = writer.broadcast(writer.zero(ElementType::s32), tile.dims, {});
  const InstructionId neutral = writer.broadcast(writer.constant(tile.type, identity), tile.dims, {});
  return writer.op(Opcode::select, tile, {writer.compare(own, none, CompareDirection::ne), into, neutral});
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> scatter(const SpmdContext& cx, const Visit& v) {
  if (v.i.operands.size() != 3) return replicated(cx, v);
  TRY(ScatterDims dims, scatter_dims(v.here, v.i));
  const ScatterRoles r = roles_of(v, std::move(dims));
  const Opcode op = reducer_opcode(cx.source, v.i);
  const auto identity = identity_of(op, v.i.shape.type);
  const ScatterTilings t = tilings_of(v, r, identity.has_value());
  IntList index_dims;  // of both
  for (const int64_t d : r.batch) index_dims.push_back(static_cast<int64_t>(t.target.rank()) + d);
  const Sharded into = operand_as(cx, v, 0, t.target), at = operand_as(cx, v, 1, t.index);
  const Sharded updates = operand_as(cx, v, 2, t.both.mapped(updates_in_both(v, r)));
  InstructionId places = at.id, start = into.id;
  if (t.target.count_of(r.written) > 1)
    places =
        places_in_tile(cx.writer, v.scope(),
                       LocalIndex::of(into, r.dims.to_operand_dims, r.dims.index_vector_dim), at.id, false);
  const bool combines = t.both.count_of(index_dims) > 1;
  if (combines) start = start_on_first(cx, v, start, t.both, index_dims, *identity);
  TRY(const Instruction made, with_called(cx, v));
  InstructionId id = write_like(cx, made, cx.writer.shape(into.id), {start, places, updates.id});
  if (combines) {
    Resharder::Because because(cx.resharder, "scatter: every device writes its own part of the updates",
                               v.source_of(2).name);
    const int64_t first = cx.writer.count();
    id = cx.writer.all_reduce(id, v.scope(), members_below(t.both, t.both.merged(index_dims)),
                              cx.writer.reducer(op, v.i.shape.type));
    cx.resharder.note(first, updates.tiling, t.target);
  }
  return ShardedLeaves{{id, v.i.shape, t.target}};
}

}  // namespace spmd_rule
}  // namespace shardscope
