// SPDX-License-Identifier: Apache-2.0
// XLA's ways to gather, all at once. Dimensions that slices take whole stay cut (operand pass-through), so do
// those of the indices (index pass-through) and both where they are paired (index-parallel). Of a dimension
// of which slices take one element every device looks up what it has, zeros else, and the sum is the result
// (trivially sliced).

#include <numeric>
#include <utility>

#include "engine/partition/reshard/local_index.h"
#include "engine/partition/rules/dot_grouping.h"
#include "engine/partition/rules/index_pairs.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/spmd_local.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// What a gather does with each dimension.
struct GatherRoles {
  GatherDims dims;
  IndexPairs pairs;
  IntList moving, looked_up;           // of the operand: cannot stay cut; one element of it is taken
  IntList from_operand, from_indices;  // by result dimension: the one that it is; -1: none
};

GatherRoles roles_of(const Visit& v, GatherDims g) {
  const IntList& sizes = v.operand(0).base.dims;
  const size_t rank = sizes.size();
  IntList dropped = g.collapsed_slice_dims;
  dropped.insert(dropped.end(), g.operand_batching_dims.begin(), g.operand_batching_dims.end());
  const IntList kept = without(rank, dropped);  // by offset dimension
  const IntList batch = without(v.operand(1).base.rank(), {g.index_vector_dim});
  GatherRoles out{{}, {}, {}, {}, IntList(v.i.shape.rank(), -1), IntList(v.i.shape.rank(), -1)};
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    const auto at = static_cast<size_t>(d);
    const bool is_whole = g.slice_sizes[at] == sizes[at] && !holds(g.collapsed_slice_dims, d);
    if (holds(g.operand_batching_dims, d) || is_whole) continue;
    (g.slice_sizes[at] == 1 && holds(g.start_index_map, d) ? out.looked_up : out.moving).push_back(d);
  }
  for (size_t d = 0, o = 0, b = 0; d < v.i.shape.rank(); ++d) {
    if (holds(g.offset_dims, static_cast<int64_t>(d)))
      out.from_operand[d] = kept[o++];
    else
      out.from_indices[d] = batch[b++];
  }
  out.pairs = index_pairs({v.here, v.i.operands[0], v.i.operands[1], g.start_index_map, out.looked_up,
                           g.operand_batching_dims, g.start_indices_batching_dims, g.index_vector_dim});
  out.dims = std::move(g);
  return out;
}

// How operand and indices are cut, and both as one array of the dimensions of both.
struct GatherTilings {
  Tiling table, index, both;
};

std::optional<Tiling> both_of(const GatherRoles& r, const PairedTilings& cut) {
  return side_by_side(cut.array.merged(r.pairs.array), cut.indices);
}

// The result, where looked up dimensions are summed over.
Tiling result_tiling(const Visit& v, const GatherRoles& r, const Tiling& both) {
  const auto rank = static_cast<int64_t>(v.operand(0).base.rank());
  IntList map;
  for (size_t d = 0; d < v.i.shape.rank(); ++d) {
    const int64_t o = r.from_operand[d];
    map.push_back(o < 0 ? rank + r.from_indices[d] : holds(r.looked_up, o) ? -1 : o);
  }
  return both.merged(r.looked_up).mapped(map);
}

// Either every device looks all indices up in its part of the operand, or its own indices in all of it: what
// needs less memory, as XLA has it.
struct GatherWays {
  PairedTilings parts, whole;
  bool is_whole_less = false;
};

GatherWays ways_of(const Visit& v, const GatherRoles& r, const PairedTilings& cut) {
  const size_t index_rank = v.operand(1).base.rank();
  GatherWays out{{cut.array, cut.array.mapped(paired(index_rank, r.pairs.indices, r.pairs.array))},
                 {cut.array.merged(r.looked_up), cut.indices}};
  const auto both = both_of(r, out.whole);
  if (!both || out.whole.array == cut.array) return out;
  const Shape &table = v.operand(0).base, &indices = v.operand(1).base;
  const auto needs = [&](const PairedTilings& t) {
    return tile_bytes(t.array, table) + tile_bytes(t.indices, indices) +
           tile_bytes(result_tiling(v, r, *both_of(r, t)), v.i.shape);
  };
  out.is_whole_less = needs(out.whole) < needs(out.parts);
  return out;
}

// The cuts of operand and indices are in each other's way.
PairedTilings apart(const Visit& v, const GatherRoles& r, const PairedTilings& cut) {
  GatherWays ways = ways_of(v, r, cut);
  return std::move(ways.is_whole_less ? ways.whole : ways.parts);
}

GatherTilings tilings_of(const Visit& v, const GatherRoles& r) {
  const size_t rank = v.operand(0).base.rank(), index_rank = v.operand(1).base.rank();
  Tiling table = v.operand(0).tiling.merged(r.moving);
  Tiling index = v.operand(1).tiling;
  if (r.dims.index_vector_dim < static_cast<int64_t>(index_rank))
    index = index.merged({r.dims.index_vector_dim});
  // What is whole on both sides may be cut like the result at no cost.
  if (table.is_replicated() && index.is_replicated()) {
    table = v.out().mapped(inverse(r.from_operand, rank)).merged(r.moving).merged(r.looked_up);
    index = v.out().mapped(inverse(r.from_indices, index_rank));
  }
  const PairedTilings cut = cut_alike(r.pairs, {std::move(table), std::move(index)});
  if (const auto both = both_of(r, cut)) return {cut.array, cut.indices, *both};
  const PairedTilings chosen = apart(v, r, cut);
  const auto both = both_of(r, chosen);
  CHECK(both.has_value());
  return {chosen.array, chosen.indices, *both};
}

// The indices as places in each device's tile, and which of them fall into it.
struct LookUp {
  InstructionId places, inside;
};

LookUp look_up(const SpmdContext& cx, const Visit& v, const GatherRoles& r, const Sharded& from,
               InstructionId indices) {
  LocalIndex clamped = LocalIndex::of(from, r.dims.start_index_map, r.dims.index_vector_dim);
  for (size_t c = 0; c < clamped.sizes.size(); ++c) {
    const int64_t d = r.dims.start_index_map[c];
    clamped.sizes[c] -= r.dims.slice_sizes[static_cast<size_t>(d)] - 1;
    // Places of slices that are taken whole are 0 wherever they point.
    if (!holds(r.looked_up, d)) clamped.offsets[c].clear();
  }
  const InstructionId places = places_in_tile(cx.writer, v.scope(), clamped, indices, true);
  return {places, falls_inside(cx.writer, clamped, places)};
}

// The gather itself on the devices' tiles.
InstructionId local_gather(const SpmdContext& cx, const Visit& v, const GatherRoles& r, const Sharded& from,
                           InstructionId places, const Shape& indices) {
  const IntList& sizes = from.base.dims;
  const IntList tile = tile_dims(from.tiling, sizes);
  Shape shape = v.i.shape;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const int64_t o = r.from_operand[d];
    if (o < 0)
      shape.dims[d] = indices.dims[static_cast<size_t>(r.from_indices[d])];
    else if (from.tiling.counts[static_cast<size_t>(o)] > 1 && !holds(r.looked_up, o))
      shape.dims[d] = tile[static_cast<size_t>(o)];
  }
  const InstructionId id = write_like(cx, v.i, shape, {from.id, places});
  IntList slice = r.dims.slice_sizes;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (slice[d] == sizes[d]) slice[d] = tile[d];
  for (const int64_t d : r.dims.operand_batching_dims) slice[static_cast<size_t>(d)] = 1;
  std::get<GatherDims>(cx.writer.at(id).attributes.edit()).slice_sizes = std::move(slice);
  return id;
}

// How the result lies in each group of devices that have the same part of the operand, before they add up
// what they found: as it is wanted, but with cuts given up for the groups, those of the indices' dimensions
// first. None: it is whole there, or the indices' own cut comes first.
std::optional<Grouped> wanted_in_groups(const Visit& v, const GatherRoles& r, const GatherTilings& t,
                                        const Grouped& from) {
  const int64_t groups = from.groups.count();
  if (t.table.tiles() != groups || v.out().is_replicated()) return std::nullopt;
  Tiling wanted = v.out();
  for (const bool of_operand : {false, true}) {
    for (size_t d = 0; d < wanted.rank(); ++d) {
      if ((r.from_operand[d] >= 0) != of_operand) continue;
      const int64_t lacking = groups / std::gcd(groups, wanted.replicas());
      wanted = coarsened(wanted, d, std::gcd(lacking, wanted.counts[d]));
    }
  }
  if (wanted.replicas() % groups != 0 || wanted.is_replicated()) return std::nullopt;
  if (ways_of(v, r, {t.table, t.index}).is_whole_less) return std::nullopt;
  return aligned(grouped_on(wanted, {static_cast<int64_t>(wanted.rank())}, wanted.replicas() / groups),
                 from.groups);
}

// Zeros where the device does not have what was looked up.
InstructionId own_looked_up(const SpmdContext& cx, const GatherRoles& r, InstructionId id,
                            InstructionId inside) {
  SpmdWriter& writer = cx.writer;
  const Shape shape = writer.shape(id);
  IntList around;  // the result's dimensions that the mask has
  for (size_t d = 0; d < shape.rank(); ++d)
    if (r.from_operand[d] < 0) around.push_back(static_cast<int64_t>(d));
  const InstructionId mask = writer.broadcast(inside, shape.dims, around);
  const InstructionId zeros = writer.broadcast(writer.zero(shape.type), shape.dims, {});
  return writer.op(Opcode::select, shape, {mask, id, zeros});
}

// What each device looked up, as `out` says, moved in its group to where `in` wants it; so is the mask, which
// is put on behind.
InstructionId masked_where_wanted(const SpmdContext& cx, const Visit& v, const GatherRoles& r,
                                  const Grouped& in, Sharded value, InstructionId inside) {
  Resharder::Because because(cx.resharder, "gather: its result is resharded before it is added up", "result");
  const Tiling wanted = ungrouped(in);
  IntList batch;
  for (size_t d = 0; d < v.i.shape.rank(); ++d)
    if (r.from_operand[d] < 0) batch.push_back(static_cast<int64_t>(d));
  Shape mask = Shape::array(ElementType::pred, {});
  for (const int64_t d : batch) mask.dims.push_back(v.i.shape.dims[static_cast<size_t>(d)]);
  const InstructionId own =
      cx.resharder.to(v.scope(), {inside, mask, value.tiling.mapped(batch)}, wanted.mapped(batch)).id;
  if (const auto tiling = inner_of(value.tiling, v.i.shape.dims, v.i.shape.dims, in.groups)) {
    const SpmdScope scope = cx.writer.inner(v.scope(), in.groups);
    value = cx.resharder.to(scope, {value.id, v.i.shape, *tiling}, in.inner);
  } else {
    value = cx.resharder.to(v.scope(), value, wanted);
  }
  return own_looked_up(cx, r, value.id, own);
}

// Devices at the same place of every group.
DeviceGroups across(const DeviceGroups& groups) {
  DeviceGroups out;
  for (size_t p = 0; p < groups.groups.front().size(); ++p) {
    out.groups.emplace_back();
    for (const auto& group : groups.groups) out.groups.back().push_back(group[p]);
  }
  return out;
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> gather(const SpmdContext& cx, const Visit& v) {
  TRY(GatherDims dims, gather_dims(v.here, v.i));
  const GatherRoles r = roles_of(v, std::move(dims));
  const GatherTilings t = tilings_of(v, r);
  const Sharded from = operand_as(cx, v, 0, t.table), at = operand_as(cx, v, 1, t.index);
  const bool looks_up = t.table.count_of(r.looked_up) > 1;
  const LookUp found = looks_up ? look_up(cx, v, r, from, at.id) : LookUp{at.id, {}};
  // Of what is counted every device has what it looks up.
  const bool may_lack = t.table.merged(r.pairs.counted).count_of(r.looked_up) > 1;
  InstructionId id = local_gather(cx, v, r, from, found.places, cx.writer.shape(at.id));
  Tiling out = result_tiling(v, r, t.both);
  const Opcode sum = v.i.shape.type == ElementType::pred ? Opcode::or_ : Opcode::add;
  if (!may_lack) {
    id = combined_or_partial(cx, v, id, std::nullopt, sum);
  } else {
    Resharder::Because because(
        cx.resharder, "gather: every device looks up the indices that fall into its part of the operand",
        "result");
    const auto in =
        cx.fitted == nullptr ? wanted_in_groups(v, r, t, grouped_on(t.table, r.looked_up)) : std::nullopt;
    const InstructionId own = in ? masked_where_wanted(cx, v, r, *in, {id, v.i.shape, out}, found.inside)
                                 : own_looked_up(cx, r, id, found.inside);
    const DeviceGroups members = in ? across(in->groups) : members_below(t.both, t.both.merged(r.looked_up));
    if (in) out = ungrouped(*in);
    const int64_t first = cx.writer.count();
    id = combined_or_partial(cx, v, own, members, sum);
    cx.resharder.note_sum(first, out);
    // Cut as it is wanted besides, so that going there gathers what its devices have already.
    if (const auto finer = in || cx.fitted != nullptr ? std::nullopt : merged_tilings(out, v.out()))
      return ShardedLeaves{cx.resharder.to(v.scope(), {id, v.i.shape, out}, *finer)};
  }
  return ShardedLeaves{{id, v.i.shape, out}};
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
