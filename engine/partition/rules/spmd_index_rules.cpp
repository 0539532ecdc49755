// SPDX-License-Identifier: Apache-2.0
// Rules for instructions that take their places from data: a device that holds a part of a dimension looks up
// or writes what falls into its part.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/reshard/local_index.h"
#include "engine/partition/reshard/tiling_moves.h"
#include "engine/partition/rules/spmd_visitor.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

using IntList = std::vector<int64_t>;

bool holds(const IntList& dims, int64_t d) {
  return std::ranges::count(dims, d) > 0;
}

// Two arrays on the same devices as one of both their dimensions; none when their cuts are in each other's
// way.
std::optional<Tiling> side_by_side(const Tiling& a, const Tiling& b) {
  IntList of_a(a.rank() + b.rank(), -1), of_b = of_a;
  for (size_t d = 0; d < a.rank(); ++d) of_a[d] = static_cast<int64_t>(d);
  for (size_t d = 0; d < b.rank(); ++d) of_b[a.rank() + d] = static_cast<int64_t>(d);
  return merged_tilings(a.mapped(of_a), b.mapped(of_b));
}

IntList without(size_t rank, const IntList& dims) {
  IntList out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (!holds(dims, d)) out.push_back(d);
  return out;
}

// The dimension of one array for each of another's, by pairs.
IntList paired(size_t rank, const IntList& to, const IntList& from) {
  IntList map(rank, -1);
  for (size_t i = 0; i < to.size(); ++i) map[static_cast<size_t>(to[i])] = from[i];
  return map;
}

bool same_places_on(const Tiling& a, const IntList& on_a, const Tiling& b, const IntList& on_b) {
  const auto pa = a.coordinates(), pb = b.coordinates();
  for (size_t i = 0; i < on_a.size(); ++i) {
    const auto da = static_cast<size_t>(on_a[i]), db = static_cast<size_t>(on_b[i]);
    if (a.counts[da] != b.counts[db]) return false;
    for (size_t device = 0; device < pa.size(); ++device)
      if (pa[device][da] != pb[device][db]) return false;
  }
  return true;
}

void set_verbatim(Instruction& i, const char* key, const std::string& value) {
  for (VerbatimAttribute& a : i.verbatim)
    if (a.key == key) a.value = value;
}

}  // namespace

// XLA's ways at once. Dimensions that slices take whole stay cut (operand pass-through), so do those of the
// indices (index pass-through) and both where they are paired (index-parallel). Of a dimension of which
// slices take one element every device looks up what it has, zeros else, and the sum is the result (trivially
// sliced).
Result<ShardedLeaves> SpmdVisitor::gather(const Visit& v) {
  TRY(const GatherDims g, gather_dims(*here_, v.i));
  const size_t rank = operand(v, 0).base.rank(), index_rank = operand(v, 1).base.rank();
  const IntList& sizes = operand(v, 0).base.dims;
  IntList dropped = g.collapsed_slice_dims;
  dropped.insert(dropped.end(), g.operand_batching_dims.begin(), g.operand_batching_dims.end());
  const IntList kept = without(rank, dropped);  // by offset dimension
  const IntList batch = without(index_rank, {g.index_vector_dim});
  IntList moving, looked_up;  // cannot stay cut; one element of it is taken
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    const auto at = static_cast<size_t>(d);
    const bool is_whole = g.slice_sizes[at] == sizes[at] && !holds(g.collapsed_slice_dims, d);
    if (holds(g.operand_batching_dims, d) || is_whole) continue;
    (g.slice_sizes[at] == 1 && holds(g.start_index_map, d) ? looked_up : moving).push_back(d);
  }
  // Places of the result's dimensions in the operand and in the indices.
  IntList from_operand(v.i.shape.rank(), -1), from_indices = from_operand;
  for (size_t d = 0, o = 0, b = 0; d < v.i.shape.rank(); ++d) {
    if (holds(g.offset_dims, static_cast<int64_t>(d)))
      from_operand[d] = kept[o++];
    else
      from_indices[d] = batch[b++];
  }
  const auto inverse = [&](const IntList& map, size_t of) {
    IntList out(of, -1);
    for (size_t d = 0; d < map.size(); ++d)
      if (map[d] >= 0) out[static_cast<size_t>(map[d])] = static_cast<int64_t>(d);
    return out;
  };
  Tiling table = operand(v, 0).tiling.merged(moving);
  Tiling index = operand(v, 1).tiling;
  if (g.index_vector_dim < static_cast<int64_t>(index_rank)) index = index.merged({g.index_vector_dim});
  // What is whole on both sides may be cut like the result at no cost.
  if (table.is_replicated() && index.is_replicated()) {
    table = v.out().mapped(inverse(from_operand, rank)).merged(moving).merged(looked_up);
    index = v.out().mapped(inverse(from_indices, index_rank));
  }
  const IntList& pairs = g.operand_batching_dims;
  const IntList& index_pairs = g.start_indices_batching_dims;
  const auto follow_table = [&] { return table.mapped(paired(index_rank, index_pairs, pairs)); };
  if (!same_places_on(table, pairs, index, index_pairs)) {
    if (table.count_of(pairs) > 1)
      index = follow_table();
    else
      table = index.mapped(paired(rank, pairs, index_pairs));
  }
  auto both = side_by_side(table.merged(pairs), index);
  if (!both) {
    index = follow_table();
    both = side_by_side(table.merged(pairs), index);
  }
  CHECK(both.has_value());
  const Sharded from = operand_as(v, 0, table), at = operand_as(v, 1, index);
  const IntList tile = tile_dims(table, sizes);
  InstructionId places = at.id;
  const bool looks_up = table.count_of(looked_up) > 1;
  InstructionId inside;
  if (looks_up) {
    // Places of slices that are taken whole are 0 wherever they point.
    LocalIndex clamped = LocalIndex::of(from, g.start_index_map, g.index_vector_dim);
    for (size_t c = 0; c < clamped.sizes.size(); ++c) {
      const auto d = static_cast<size_t>(g.start_index_map[c]);
      clamped.sizes[c] -= g.slice_sizes[d] - 1;
      if (!holds(looked_up, g.start_index_map[c])) clamped.offsets[c].clear();
    }
    places = places_in_tile(writer_, scope(), clamped, at.id, true);
    inside = falls_inside(writer_, clamped, places);
  }
  Shape shape = v.i.shape;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const int64_t o = from_operand[d];
    if (o < 0)
      shape.dims[d] = writer_.shape(at.id).dims[static_cast<size_t>(from_indices[d])];
    else if (table.counts[static_cast<size_t>(o)] > 1 && !holds(looked_up, o))
      shape.dims[d] = tile[static_cast<size_t>(o)];
  }
  InstructionId id = like(v.i, shape, {from.id, places});
  IntList slice = g.slice_sizes;
  for (size_t d = 0; d < rank; ++d)
    if (slice[d] == sizes[d]) slice[d] = tile[d];
  for (const int64_t d : pairs) slice[static_cast<size_t>(d)] = 1;
  set_verbatim(writer_.at(id), "slice_sizes", fmt::format("{{{}}}", fmt::join(slice, ",")));
  IntList map;
  for (size_t d = 0; d < shape.rank(); ++d) {
    const int64_t o = from_operand[d];
    map.push_back(o < 0 ? static_cast<int64_t>(rank) + from_indices[d] : holds(looked_up, o) ? -1 : o);
  }
  const Tiling out = both->merged(looked_up).mapped(map);
  if (looks_up) {
    IntList around;  // the result's dimensions that the mask has
    for (size_t d = 0; d < shape.rank(); ++d)
      if (from_operand[d] < 0) around.push_back(static_cast<int64_t>(d));
    const InstructionId mask = writer_.broadcast(inside, shape.dims, around);
    const InstructionId zeros = writer_.broadcast(writer_.zero(shape.type), shape.dims, {});
    id = writer_.op(Opcode::select, shape, {mask, id, zeros});
    Resharder::Because because(
        resharder_, "gather: every device looks up the indices that fall into its part of the operand",
        here_->at(v.i.operands[0]).name);
    const int64_t first = writer_.count();
    const Opcode sum = shape.type == ElementType::pred ? Opcode::or_ : Opcode::add;
    id = writer_.all_reduce(id, scope(), members_below(*both, both->merged(looked_up)),
                            writer_.reducer(sum, shape.type));
    resharder_.note(first, spmd_sharding_text(table.sharding(), writer_.dialect()),
                    spmd_sharding_text(out.sharding(), writer_.dialect()));
  }
  return ShardedLeaves{result(v, id, out)};
}

// As gather: windows that take a dimension whole leave it cut, updates that fall into another device's part
// are out of bounds here and dropped. Indices and updates that are cut are combined over the devices: where
// the reducer has an identity, one of them starts with the operand and the others with that.
Result<ShardedLeaves> SpmdVisitor::scatter(const Visit& v) {
  if (v.i.operands.size() != 3) return replicated(v);
  TRY(const ScatterDims s, scatter_dims(*here_, v.i));
  const size_t rank = operand(v, 0).base.rank(), index_rank = operand(v, 1).base.rank(),
               update_rank = operand(v, 2).base.rank();
  const IntList& sizes = operand(v, 0).base.dims;
  const IntList& update_sizes = operand(v, 2).base.dims;
  IntList dropped = s.inserted_window_dims;
  dropped.insert(dropped.end(), s.input_batching_dims.begin(), s.input_batching_dims.end());
  const IntList window = without(rank, dropped);  // by update window dimension
  const IntList batch = without(index_rank, {s.index_vector_dim});
  const IntList update_batch = without(update_rank, s.update_window_dims);
  IntList moving, written, passing, passing_update;
  for (size_t w = 0; w < window.size(); ++w) {
    const int64_t d = window[w], u = s.update_window_dims[w];
    if (update_sizes[static_cast<size_t>(u)] == sizes[static_cast<size_t>(d)] &&
        !holds(s.to_operand_dims, d)) {
      passing.push_back(d);
      passing_update.push_back(u);
    } else if (update_sizes[static_cast<size_t>(u)] == 1 && holds(s.to_operand_dims, d)) {
      written.push_back(d);
    } else {
      moving.push_back(d);
    }
  }
  for (const int64_t d : s.inserted_window_dims)
    (holds(s.to_operand_dims, d) ? written : moving).push_back(d);
  // Arrays paired with the indices' batch dimensions are not cut there.
  moving.insert(moving.end(), s.input_batching_dims.begin(), s.input_batching_dims.end());
  Tiling target = operand(v, 0).tiling;
  if (target.is_replicated()) target = v.out();
  target = target.merged(moving);
  // Indices and the updates' batch dimensions are cut alike.
  const IntList to_update = paired(update_rank, update_batch, batch);
  const IntList to_index = paired(index_rank, batch, update_batch);
  const Opcode op = reducer_opcode(source_, v.i);
  const auto identity = identity_of(op, v.i.shape.type);
  Tiling index = Tiling::replicated(index_rank, scope().size());
  if (identity) {
    index = operand(v, 2).tiling.mapped(to_index);
    if (index.is_replicated()) index = operand(v, 1).tiling.mapped(to_update).mapped(to_index);
    for (const int64_t d : batch) {  // padding would be written too
      const auto at = static_cast<size_t>(d);
      if (operand(v, 1).base.dims[at] % index.counts[at] != 0) index = index.merged({d});
    }
  }
  auto both = side_by_side(target, index);
  if (!both) {
    index = Tiling::replicated(index_rank, scope().size());
    both = side_by_side(target, index);
  }
  CHECK(both.has_value());
  const auto index_dims = [&] {
    IntList out;
    for (const int64_t d : batch) out.push_back(static_cast<int64_t>(rank) + d);
    return out;
  }();
  // The updates: cut by batch like the indices, by window like the operand.
  IntList of_both(update_rank, -1);
  for (size_t b = 0; b < batch.size(); ++b)
    of_both[static_cast<size_t>(update_batch[b])] = static_cast<int64_t>(rank) + batch[b];
  for (size_t p = 0; p < passing.size(); ++p) of_both[static_cast<size_t>(passing_update[p])] = passing[p];
  const Sharded into = operand_as(v, 0, target), at = operand_as(v, 1, index);
  const Sharded updates = operand_as(v, 2, both->mapped(of_both));
  InstructionId places = at.id, start = into.id;
  if (target.count_of(written) > 1)
    places = places_in_tile(writer_, scope(), LocalIndex::of(into, s.to_operand_dims, s.index_vector_dim),
                            at.id, false);
  const bool combines = both->count_of(index_dims) > 1;
  if (combines) {
    const auto place = both->coordinates();
    IntList is_first;
    for (const auto& p : place)
      is_first.push_back(
          std::ranges::all_of(index_dims, [&](int64_t d) { return p[static_cast<size_t>(d)] == 0; }));
    const Shape tile = writer_.shape(start);
    const InstructionId own =
        writer_.broadcast(writer_.table(scope(), ElementType::s32, is_first), tile.dims, {});
    const InstructionId none = writer_.broadcast(writer_.zero(ElementType::s32), tile.dims, {});
    const InstructionId neutral = writer_.broadcast(writer_.constant(tile.type, *identity), tile.dims, {});
    start = writer_.op(Opcode::select, tile, {writer_.compare(own, none, "NE"), start, neutral});
  }
  Instruction made = v.i;
  for (CalledComputation& c : made.called) {
    TRY(c.computation, called(source_.computation(c.computation), {}, {}));
  }
  InstructionId id = like(made, writer_.shape(into.id), {start, places, updates.id});
  if (combines) {
    Resharder::Because because(resharder_, "scatter: every device writes its own part of the updates",
                               here_->at(v.i.operands[2]).name);
    const int64_t first = writer_.count();
    id = writer_.all_reduce(id, scope(), members_below(*both, both->merged(index_dims)),
                            writer_.reducer(op, v.i.shape.type));
    resharder_.note(first, spmd_sharding_text(updates.tiling.sharding(), writer_.dialect()),
                    spmd_sharding_text(target.sharding(), writer_.dialect()));
  }
  return ShardedLeaves{result(v, id, target)};
}

}  // namespace shardscope
