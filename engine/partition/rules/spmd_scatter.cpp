// SPDX-License-Identifier: Apache-2.0
// As gather: windows that take a dimension whole leave it cut, paired dimensions are cut alike, updates that
// fall into another device's part are out of bounds here and dropped. Indices and updates that are cut
// elsewhere are combined over the devices: where the reducer has an identity, one of them starts with the
// operand and the others with that.
#include <algorithm>

#include "engine/partition/reshard/local_index.h"
#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/index_pairs.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/spmd_local.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// `of` without cuts of `dims` that do not fit: without one of them where that is enough, else without more
// and more.
template <class Fits>
std::optional<Tiling> loosened(Tiling of, const IntList& dims, const Fits& fits) {
  for (const int64_t d : dims)
    if (of.counts[static_cast<size_t>(d)] > 1 && fits(of.merged({d}))) return of.merged({d});
  for (size_t k = 0; k < dims.size() && !fits(of); ++k) of = of.merged({dims[k]});
  return fits(of) ? std::optional(of) : std::nullopt;
}

// What a scatter does with each dimension.
struct ScatterRoles {
  ScatterDims dims;
  size_t arrays = 1;
  IntList batch, update_batch;          // of indices and updates, in pairs
  IndexPairs pairs;                     // of operand and indices
  IntList written, moving;              // of the operand: one element of it is written; cannot stay cut
  IntList passing, passing_in_updates;  // written whole, so it may stay cut: of operand and updates, in pairs

  // Of the indices: those that are cut among devices that write to the same places.
  IntList combined() const {
    IntList out;
    for (const int64_t d : batch)
      if (!holds(pairs.indices, d)) out.push_back(d);
    return out;
  }
};

ScatterRoles roles_of(const Visit& v, ScatterDims s) {
  ScatterRoles out;
  out.arrays = v.i.operands.size() / 2;
  const IntList& sizes = v.operand(0).base.dims;
  const IntList& update_sizes = v.operand(out.arrays + 1).base.dims;
  IntList dropped = s.inserted_window_dims;
  dropped.insert(dropped.end(), s.input_batching_dims.begin(), s.input_batching_dims.end());
  const IntList window = without(sizes.size(), dropped);  // by update window dimension
  out.batch = without(v.operand(out.arrays).base.rank(), {s.index_vector_dim});
  out.update_batch = without(update_sizes.size(), s.update_window_dims);
  for (size_t w = 0; w < window.size(); ++w) {
    const int64_t d = window[w], u = s.update_window_dims[w];
    const int64_t size = update_sizes[static_cast<size_t>(u)];
    const bool placed = holds(s.to_operand_dims, d);
    // Written whole it begins at 0 or nowhere, wherever its index says: a part of it too.
    if (size == sizes[static_cast<size_t>(d)]) {
      out.passing.push_back(d);
      out.passing_in_updates.push_back(u);
    } else {
      (size == 1 && placed ? out.written : out.moving).push_back(d);
    }
  }
  for (const int64_t d : s.inserted_window_dims)
    (holds(s.to_operand_dims, d) ? out.written : out.moving).push_back(d);
  out.pairs = index_pairs({v.here, v.i.operands[0], v.i.operands[out.arrays], s.to_operand_dims, out.written,
                           s.input_batching_dims, s.indices_batching_dims, s.index_vector_dim});
  out.dims = std::move(s);
  return out;
}

// How operand and indices are cut, and both as one array of the dimensions of both.
struct ScatterTilings {
  Tiling target, index, both;
};

std::optional<Tiling> both_of(const ScatterRoles& r, const PairedTilings& cut) {
  return side_by_side(cut.array.merged(r.pairs.array), cut.indices);
}

// The updates: cut by batch like the indices, by window like the operand.
Tiling update_tiling(const Visit& v, const ScatterRoles& r, const Tiling& both) {
  const auto rank = static_cast<int64_t>(v.operand(0).base.rank());
  IntList map(v.operand(r.arrays + 1).base.rank(), -1);
  for (size_t b = 0; b < r.batch.size(); ++b) map[static_cast<size_t>(r.update_batch[b])] = rank + r.batch[b];
  for (size_t p = 0; p < r.passing.size(); ++p)
    map[static_cast<size_t>(r.passing_in_updates[p])] = r.passing[p];
  return both.mapped(map);
}

// The cuts of operand and indices are in each other's way. Either indices and updates are gathered, or every
// device writes its own updates to all of the operand: what needs less memory, as XLA has it.
PairedTilings apart(const Visit& v, const ScatterRoles& r, const PairedTilings& cut, bool combines) {
  const IntList others = r.combined();
  const auto index = loosened(cut.indices, others, [&](const Tiling& t) {
    return both_of(r, {cut.array, t}).has_value();
  });
  const Tiling pairs_only = cut.indices.merged(others);
  const PairedTilings gathered{cut.array, index.value_or(pairs_only)};
  if (!both_of(r, gathered))
    return {cut.array, cut.array.mapped(paired(cut.indices.rank(), r.pairs.indices, r.pairs.array))};
  if (!combines) return gathered;
  const IntList free = without(cut.array.rank(), r.pairs.array);
  const auto target = loosened(cut.array, free, [&](const Tiling& t) {
    return both_of(r, {t, cut.indices}).has_value();
  });
  if (!target) return gathered;
  const Shape &base = v.operand(0).base, &indices = v.operand(1).base, &updates = v.operand(2).base;
  const auto updates_of = [&](const PairedTilings& t) {
    return tile_bytes(update_tiling(v, r, *both_of(r, t)), updates);
  };
  const PairedTilings own{*target, cut.indices};
  const int64_t before = updates_of(own), after = updates_of(gathered);
  const int64_t part = tile_bytes(cut.array, base), whole = tile_bytes(*target, base);
  const int64_t to_gather = std::max(before + after, part + after + tile_bytes(gathered.indices, indices));
  const int64_t to_write = std::max(whole + before + tile_bytes(cut.indices, indices), whole + part);
  return to_write < to_gather ? own : gathered;
}

// `combines`: the reducer allows indices that are cut.
ScatterTilings tilings_of(const Visit& v, const ScatterRoles& r, bool combines) {
  const Shape& indices = v.operand(r.arrays).base;
  Tiling target = v.operand(0).tiling;
  if (target.is_replicated()) target = v.out();
  // Indices and the updates' batch dimensions are cut alike.
  const IntList to_update = paired(v.operand(r.arrays + 1).base.rank(), r.update_batch, r.batch);
  const IntList to_index = paired(indices.rank(), r.batch, r.update_batch);
  Tiling index = v.operand(r.arrays + 1).tiling.mapped(to_index);
  if (index.is_replicated()) index = v.operand(r.arrays).tiling.mapped(to_update).mapped(to_index);
  for (const int64_t d : r.combined()) {  // padding would be written too
    const auto at = static_cast<size_t>(d);
    if (!combines || indices.dims[at] % index.counts[at] != 0) index = index.merged({d});
  }
  PairedTilings cut = cut_alike(r.pairs, {target.merged(r.moving), std::move(index)});
  for (size_t k = 0; k < r.pairs.array.size(); ++k) {  // padding counts nothing
    const auto d = static_cast<size_t>(r.pairs.array[k]);
    if (!holds(r.pairs.counted, r.pairs.array[k]) || v.operand(0).base.dims[d] % cut.array.counts[d] == 0)
      continue;
    cut = {cut.array.merged({r.pairs.array[k]}), cut.indices.merged({r.pairs.indices[k]})};
  }
  if (!both_of(r, cut)) cut = apart(v, r, cut, combines);
  const auto both = both_of(r, cut);
  CHECK(both.has_value());
  return {cut.array, cut.indices, *both};
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
  TRY(ScatterDims dims, scatter_dims(v.here, v.i));
  const ScatterRoles r = roles_of(v, std::move(dims));
  const Opcode op = r.arrays == 1 ? reducer_opcode(cx.source, v.i) : Opcode::unknown;
  const auto identity = v.i.shape.is_tuple ? std::nullopt : identity_of(op, v.i.shape.type);
  const ScatterTilings t = tilings_of(v, r, identity.has_value());
  const Tiling of_updates = update_tiling(v, r, t.both);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < r.arrays; ++k) operands.push_back(operand_as(cx, v, k, t.target).id);
  operands.push_back(operand_as(cx, v, r.arrays, t.index).id);
  for (size_t k = 0; k < r.arrays; ++k)
    operands.push_back(operand_as(cx, v, r.arrays + 1 + k, of_updates).id);
  if (t.target.count_of(r.written) > 1) {
    const Sharded into{operands[0], v.operand(0).base, t.target};
    operands[r.arrays] = places_in_tile(cx.writer, v.scope(),
                                        LocalIndex::of(into, r.dims.to_operand_dims, r.dims.index_vector_dim),
                                        operands[r.arrays], false);
  }
  IntList index_dims;  // of both
  for (const int64_t d : r.combined()) index_dims.push_back(static_cast<int64_t>(t.target.rank()) + d);
  const bool combines = t.both.count_of(index_dims) > 1;
  if (combines) operands[0] = start_on_first(cx, v, operands[0], t.both, index_dims, *identity);
  TRY(const Instruction made, with_called(cx, v));
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), t.target);
  InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), std::move(operands));
  if (combines) {
    Resharder::Because because(cx.resharder, "scatter: every device writes its own part of the updates",
                               "result");
    const int64_t first = cx.writer.count();
    id = combined_or_partial(cx, v, id, members_below(t.both, t.both.merged(index_dims)), op);
    cx.resharder.note_sum(first, t.target);
  } else if (identity) {
    id = combined_or_partial(cx, v, id, std::nullopt, op);
  }
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
