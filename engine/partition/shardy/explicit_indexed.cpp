// SPDX-License-Identifier: Apache-2.0
// Gather and scatter in explicit mode.
#include <algorithm>
#include <fmt/format.h>

#include "engine/partition/shardy/explicit_rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner::explicit_rule {
namespace {

bool in(const std::vector<int64_t>& dims, size_t d) {
  return std::ranges::count(dims, static_cast<int64_t>(d)) > 0;
}

// What several arrays say of one dimension; none: not the same.
std::optional<AxisList> agreed(const std::vector<const AxisList*>& said) {
  AxisList out;
  for (const AxisList* axes : said) {
    if (axes->empty()) continue;
    if (!out.empty() && out != *axes) return std::nullopt;
    out = *axes;
  }
  return out;
}

// The updates' dimension that stands for one of the places.
size_t update_dim_of(const ScatterDims& s, size_t place) {
  size_t out = 0;
  for (size_t before = 0;; ++out) {
    if (in(s.update_window_dims, out)) continue;
    if (static_cast<int64_t>(before) == s.index_vector_dim) ++before;
    if (before == place) return out;
    ++before;
  }
}

}  // namespace

// Places and operand agree where they go in pairs; else the places are whole, and so is what is not taken
// whole.
Typed looked_up(const TypedOperands& of) {
  const auto g = gather_dims(of.c, of.i);
  if (!g.ok()) return {};
  std::vector<AxisList> places = of.type(1).dims;
  bool clear = true;
  for (size_t k = 0; k < g->operand_batching_dims.size(); ++k) {
    AxisList& place = places[static_cast<size_t>(g->start_indices_batching_dims[k])];
    const auto both = agreed({&place, &of.type(0).dims[static_cast<size_t>(g->operand_batching_dims[k])]});
    clear = clear && both.has_value();
    if (both) place = *both;
  }
  for (size_t d = 0; d < places.size(); ++d)
    clear = clear && (places[d].empty() || in(g->start_indices_batching_dims, d));
  AxisSplit out = whole(of.i.shape.rank());
  size_t offset = 0, place = 0;
  for (size_t d = 0; d < of.shape(0).rank(); ++d) {
    const AxisList& axes = of.type(0).dims[d];
    const bool full = g->slice_sizes[d] == of.shape(0).dims[d];
    const bool paired = in(g->operand_batching_dims, d), dropped = in(g->collapsed_slice_dims, d);
    clear = clear && (axes.empty() || full || paired);
    if (!paired && !dropped) out.dims[static_cast<size_t>(g->offset_dims[offset++])] = axes;
  }
  for (size_t d = 0; d < out.dims.size(); ++d) {
    if (in(g->offset_dims, d)) continue;
    if (static_cast<int64_t>(place) == g->index_vector_dim) ++place;
    out.dims[d] = places[place++];
  }
  if (clear) return {std::move(out), ""};
  return {
      whole(of.i.shape.rank()),
      fmt::format("Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing "
                  "as out sharding could not be resolved unambiguously (or would require collectives on "
                  "inputs). Got operand={}, indices={}",
                  of.text(0), of.text(1))};
}

// The gather's rule the other way round: windows as the operand, places and updates whole but where they go
// in pairs with it.
Typed written(const TypedOperands& of) {
  const auto s = scatter_dims(of.c, of.i);
  if (!s.ok() || of.values.size() != 3) return {};
  AxisSplit out = of.type(0);
  std::vector<AxisList> places = of.type(1).dims, updates = of.type(2).dims;
  bool clear = true;
  for (size_t k = 0; k < s->input_batching_dims.size(); ++k) {
    const auto place = static_cast<size_t>(s->indices_batching_dims[k]);
    const size_t update = update_dim_of(*s, place);
    AxisList& axes = out.dims[static_cast<size_t>(s->input_batching_dims[k])];
    const auto all = agreed({&axes, &places[place], &updates[update]});
    clear = clear && all.has_value();
    if (all) axes = *all;
    places[place].clear();
    updates[update].clear();
  }
  size_t window = 0;
  for (size_t d = 0; d < out.dims.size(); ++d) {
    const AxisList& axes = of.type(0).dims[d];
    if (in(s->inserted_window_dims, d)) clear = clear && axes.empty();
    if (in(s->inserted_window_dims, d) || in(s->input_batching_dims, d)) continue;
    const auto update = static_cast<size_t>(s->update_window_dims[window++]);
    const bool full = of.shape(2).dims[update] == of.shape(0).dims[d];
    clear = clear && (full ? updates[update] == axes : updates[update].empty() && axes.empty());
    updates[update].clear();
  }
  const auto is_whole = [](const AxisList& axes) { return axes.empty(); };
  if (clear && std::ranges::all_of(places, is_whole) && std::ranges::all_of(updates, is_whole))
    return {std::move(out), ""};
  return {of.type(0),
          fmt::format("Use `.at[...].set/add/mul/...(out_sharding=)` to provide output PartitionSpec for the "
                      "scatter update as out sharding could not be resolved unambiguously (or would require "
                      "collectives on inputs). Got operand={}, indices={}, updates={}",
                      of.text(0), of.text(1), of.text(2))};
}

}  // namespace shardscope::inline partitioner::explicit_rule
