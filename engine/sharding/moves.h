// SPDX-License-Identifier: Apache-2.0
// How an array goes from one sharding to another: which moves, in which order, and who holds what in between.
// Planned here for all who write it out or time it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/sharding/tiling.h"

namespace shardscope::inline sharding {

// Every count of `fine` is a multiple of that of `coarse`.
bool refines(const Tiling& fine, const Tiling& coarse);
// Where a dimension is cut finer, the finer tiles make up the coarser ones exactly (or it was not cut at
// all).
bool slices_evenly(const Tiling& coarse, const Tiling& fine, const std::vector<int64_t>& base);

// For a collective-permute between tilings of equal counts: who sends to whom; who keeps its own sends to
// itself, since others get zeros.
std::vector<std::pair<int64_t, int64_t>> permute_pairs(const Tiling& from, const Tiling& to);

// A tiling with the counts of `coarse` in which every device holds what it needs for its tile of `fine`;
// `coarse` itself when it does.
Tiling nested_above(const Tiling& coarse, const Tiling& fine);
// A tiling with the counts of `fine` in which every device holds a part of its tile of `coarse`.
Tiling nested_below(const Tiling& fine, const Tiling& coarse);

// Dimension `dim` cut `ratio` times coarser; devices that differed there become replicas.
Tiling coarsened(const Tiling& tiling, size_t dim, int64_t ratio);
// The devices whose tiles make up one tile that is `ratio` times coarser along `dim`, in order.
DeviceGroups members_along(const Tiling& tiling, size_t dim, int64_t ratio);
// The devices whose tiles make up one tile of `coarse` (nested), row-major over the dimensions.
DeviceGroups members_below(const Tiling& fine, const Tiling& coarse);

// An all-to-all that brings `from` nearer to `to`: the cut of one dimension goes to another.
struct Exchange {
  size_t from = 0, to = 0;
  int64_t ratio = 1;
};
std::optional<Exchange> find_exchange(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base);
Tiling cut_moved(const Tiling& tiling, size_t from, size_t to, int64_t ratio);

// `from` cut further along a dimension that `to` cuts finer, as far as replicas allow; none when they do not.
std::optional<Tiling> finer_by_replicas(const Tiling& from, const Tiling& to,
                                        const std::vector<int64_t>& base);
// The cut that both have in common, on the devices of `from`.
Tiling common_cut(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base);

// Of an array with replicas that goes to a sharding with replicas: whether these may take a part each on the
// way, so that less moves. XLA's partitioner gathers all of it instead; but an operation between the two it
// does on what both cut, so that replicas have taken their parts there.
enum class ReplicaParts : unsigned char { never, allowed };

// The first step on the way from one tiling to another, in XLA's order: a permute (the same cut on other
// devices), a slice (finer, at no cost: also of what only replicas can take a part of), a gather (coarser),
// an all-to-all; else by way of what both have in common.
struct Move {
  enum class Kind { permute, slice, gather, exchange, through };
  Kind kind = Kind::permute;
  Tiling first;  // where devices must stand before a slice or gather, so that tiles nest: often where they do
  Tiling next;   // after the step; of `through` the stop that is to be reached first, by moves of its own
  Exchange exchange;  // of Kind::exchange
};
Move next_move(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base,
               ReplicaParts parts = ReplicaParts::never);
// All of them, one after the other; the permutes before slices and gathers stand by themselves, and nothing
// goes `through`.
std::vector<Move> plan_moves(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base);
// The step is a gather of everything on every device, though neither end is whole.
bool is_full_copy(const Move& move, const Tiling& from, const Tiling& to);
// Whether some step between the two is.
bool needs_full_copy(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base);

}  // namespace shardscope::inline sharding
