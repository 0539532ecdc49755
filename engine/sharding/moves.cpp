// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/moves.h"

#include <algorithm>
#include <numeric>

#include "engine/base/units.h"

namespace shardscope::inline sharding {
namespace {

int64_t flat_place(std::span<const int64_t> tile, const std::vector<int64_t>& counts) {
  int64_t place = 0;
  for (size_t d = 0; d < counts.size(); ++d) place = place * counts[d] + tile[d];
  return place;
}

// The tiling in which each device has the tile that `tiles` says; replicas by `order`.
Tiling tiling_of(std::vector<int64_t> counts, const std::vector<int64_t>& order, const TilePlaces& tiles) {
  Tiling out{std::move(counts), order};
  std::vector<int64_t> flat(tiles.size());
  for (size_t device = 0; device < tiles.size(); ++device)
    flat[device] = flat_place(tiles[device], out.counts);
  std::ranges::stable_sort(out.order.edit(), {},
                           [&](int64_t device) { return flat[static_cast<size_t>(device)]; });
  return out;
}

// Tiles of `fine` become those of `coarse` that they are in.
void divide(std::span<int64_t> tile, const Tiling& fine, const Tiling& coarse) {
  for (size_t d = 0; d < tile.size(); ++d) tile[d] /= fine.counts[d] / coarse.counts[d];
}
TilePlaces divided(TilePlaces tiles, const Tiling& fine, const Tiling& coarse) {
  for (size_t device = 0; device < tiles.size(); ++device) divide(tiles[device], fine, coarse);
  return tiles;
}

// Tiles of a dimension that is cut `fine` times make up those of one that is cut `coarse` times exactly,
// padding included.
bool tiles_nest(int64_t size, int64_t coarse, int64_t fine) {
  return ceil_div(size, coarse) == fine / coarse * ceil_div(size, fine);
}

// An all-to-all that leaves a slice or a gather to do, on the devices that it leads to.
std::optional<Exchange> nesting_exchange(const Tiling& from, const Tiling& to,
                                         const std::vector<int64_t>& base) {
  for (size_t i = 0; i < from.rank(); ++i) {
    for (size_t j = 0; j < from.rank(); ++j) {
      const int64_t ratio = to.counts[j] / from.counts[j];
      if (i == j || ratio <= 1 || to.counts[j] % from.counts[j] != 0 || from.counts[i] % ratio != 0) continue;
      if (from.counts[i] > ratio && base[i] % from.counts[i] != 0) continue;
      if (from.counts[j] > 1 && base[j] % to.counts[j] != 0) continue;
      const Tiling moved = cut_moved(from, i, j, ratio);
      const bool slices =
          refines(to, moved) && slices_evenly(moved, to, base) && same_tiles(nested_above(moved, to), moved);
      const bool gathers =
          refines(moved, to) && slices_evenly(to, moved, base) && same_tiles(nested_below(moved, to), moved);
      if (slices || gathers) return Exchange{i, j, ratio};
    }
  }
  return std::nullopt;
}

// Where all cuts are there, each of another dimension: one that goes where its dimension is not cut yet.
std::optional<Exchange> first_of_swaps(const Tiling& from, const Tiling& to) {
  std::vector<int64_t> have = from.counts, want = to.counts;
  std::ranges::sort(have);
  std::ranges::sort(want);
  if (have != want) return std::nullopt;
  for (size_t j = from.rank(); j-- > 0;) {
    if (from.counts[j] != 1 || to.counts[j] == 1) continue;
    for (size_t i = 0; i < from.rank(); ++i)
      if (from.counts[i] == to.counts[j] && from.counts[i] != to.counts[i])
        return Exchange{i, j, from.counts[i]};
  }
  return std::nullopt;
}

// One dimension gathered, so that another cut can take its place at once.
std::optional<Tiling> gathered_for_exchange(const Tiling& from, const Tiling& to,
                                            const std::vector<int64_t>& base) {
  for (size_t d = 0; d < from.rank(); ++d) {
    if (from.counts[d] == 1) continue;
    Tiling whole = coarsened(from, d, from.counts[d]);
    if (whole.replicas() == to.replicas() && find_exchange(whole, to, base)) return whole;
  }
  return std::nullopt;
}

// Of an array without replicas one dimension gathered, as far as it is to be where there are none in the end,
// so that what is left of the cuts is a part of those wanted.
std::optional<Tiling> gathered_for_slice(const Tiling& from, const Tiling& to,
                                         const std::vector<int64_t>& base) {
  for (size_t d = 0; from.replicas() == 1 && d < from.rank(); ++d) {
    if (from.counts[d] == 1) continue;
    const int64_t keep = to.replicas() == 1 && from.counts[d] % to.counts[d] == 0 ? to.counts[d] : 1;
    Tiling whole = coarsened(from, d, from.counts[d] / keep);
    const bool nests = slices_evenly(whole, from, base) && slices_evenly(whole, to, base);
    if (!whole.is_replicated() && refines(to, whole) && nests) return whole;
  }
  return std::nullopt;
}

// Every device has all of it.
Tiling gathered(Tiling tiling) {
  std::ranges::fill(tiling.counts, 1);
  std::ranges::sort(tiling.order.edit());
  return tiling;
}

// Not along a dimension that is cut already.
bool cuts_whole_dimension(const Tiling& finer, const Tiling& from) {
  for (size_t d = 0; d < from.rank(); ++d)
    if (finer.counts[d] != from.counts[d]) return from.counts[d] == 1;
  return false;
}

}  // namespace

bool refines(const Tiling& fine, const Tiling& coarse) {
  for (size_t d = 0; d < fine.rank(); ++d)
    if (fine.counts[d] % coarse.counts[d] != 0) return false;
  return true;
}

bool slices_evenly(const Tiling& coarse, const Tiling& fine, const std::vector<int64_t>& base) {
  for (size_t d = 0; d < fine.rank(); ++d) {
    const bool cut = coarse.counts[d] > 1 && fine.counts[d] != coarse.counts[d];
    if (cut && !tiles_nest(base[d], coarse.counts[d], fine.counts[d])) return false;
  }
  return true;
}

std::vector<std::pair<int64_t, int64_t>> permute_pairs(const Tiling& from, const Tiling& to) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  const int64_t copies = from.replicas();
  for (int64_t tile = 0; tile < from.tiles(); ++tile) {
    const auto first = static_cast<std::ptrdiff_t>(tile * copies), last = first + copies;
    std::vector<int64_t> sources(from.order.begin() + first, from.order.begin() + last);
    std::vector<int64_t> targets(to.order.begin() + first, to.order.begin() + last);
    std::vector<int64_t> stay;
    for (const int64_t device : sources)
      if (std::ranges::count(targets, device) > 0) stay.push_back(device);
    for (const int64_t device : stay) {
      pairs.emplace_back(device, device);
      std::erase(sources, device);
      std::erase(targets, device);
    }
    for (size_t i = 0; i < sources.size(); ++i) pairs.emplace_back(sources[i], targets[i]);
  }
  std::ranges::sort(pairs);
  return pairs;
}

Tiling nested_above(const Tiling& coarse, const Tiling& fine) {
  const TilePlaces wanted = divided(fine.coordinates(), fine, coarse);
  if (wanted == coarse.coordinates()) return coarse;
  return tiling_of(coarse.counts, coarse.order, wanted);
}

Tiling nested_below(const Tiling& fine, const Tiling& coarse) {
  const TilePlaces have = fine.coordinates(), need = coarse.coordinates();
  const TilePlaces above = divided(have, fine, coarse);
  const int64_t copies = fine.replicas();
  std::vector<int64_t> free(static_cast<size_t>(fine.tiles()), copies);
  TilePlaces out = have;
  std::vector<int64_t> movers;
  for (const int64_t device : fine.order) {
    const auto d = static_cast<size_t>(device);
    if (std::ranges::equal(above[d], need[d])) {
      --free[static_cast<size_t>(flat_place(have[d], fine.counts))];
    } else {
      movers.push_back(device);
    }
  }
  if (movers.empty()) return fine;
  // The others take what is left below their tile, in order.
  for (const int64_t device : movers) {
    const auto d = static_cast<size_t>(device);
    bool found = false;
    std::vector<int64_t> tile(fine.rank()), parent(fine.rank());
    for (int64_t place = 0; place < fine.tiles() && !found; ++place) {
      int64_t rest = place;
      for (size_t k = fine.rank(); k-- > 0;) {
        tile[k] = rest % fine.counts[k];
        rest /= fine.counts[k];
      }
      parent = tile;
      divide(parent, fine, coarse);
      if (free[static_cast<size_t>(place)] == 0 || !std::ranges::equal(parent, need[d])) continue;
      --free[static_cast<size_t>(place)];
      std::ranges::copy(tile, out[d].begin());
      found = true;
    }
    CHECK(found, device);
  }
  return tiling_of(fine.counts, fine.order, out);
}

Tiling coarsened(const Tiling& tiling, size_t dim, int64_t ratio) {
  TilePlaces tiles = tiling.coordinates();
  for (size_t device = 0; device < tiles.size(); ++device) tiles[device][dim] /= ratio;
  std::vector<int64_t> counts = tiling.counts;
  counts[dim] /= ratio;
  return tiling_of(std::move(counts), tiling.order, tiles);
}

DeviceGroups members_along(const Tiling& tiling, size_t dim, int64_t ratio) {
  Tiling coarse = tiling;
  coarse.counts[dim] /= ratio;
  return members_below(tiling, coarse);
}

// Only the counts of `coarse` matter: tiles are nested.
DeviceGroups members_below(const Tiling& fine, const Tiling& coarse) {
  const TilePlaces above = divided(fine.coordinates(), fine, coarse);
  const std::vector<int64_t> replica = fine.replica_numbers();
  DeviceGroups out;
  out.groups.resize(static_cast<size_t>(coarse.tiles() * fine.replicas()));
  for (const int64_t device : fine.order) {
    const auto d = static_cast<size_t>(device);
    const int64_t group = flat_place(above[d], coarse.counts) * fine.replicas() + replica[d];
    out.groups[static_cast<size_t>(group)].push_back(device);
  }
  return out;
}

std::optional<Exchange> find_exchange(const Tiling& from, const Tiling& to,
                                      const std::vector<int64_t>& base) {
  for (size_t i = 0; i < from.rank(); ++i) {
    if (from.counts[i] <= to.counts[i] || from.counts[i] % to.counts[i] != 0) continue;
    const int64_t ratio = from.counts[i] / to.counts[i];
    if (to.counts[i] > 1 && !tiles_nest(base[i], to.counts[i], from.counts[i])) continue;
    for (size_t j = 0; j < from.rank(); ++j) {
      if (to.counts[j] != from.counts[j] * ratio) continue;
      if (from.counts[j] > 1 && !tiles_nest(base[j], from.counts[j], to.counts[j])) continue;
      return Exchange{i, j, ratio};
    }
  }
  return std::nullopt;
}

Tiling cut_moved(const Tiling& tiling, size_t from, size_t to, int64_t ratio) {
  TilePlaces tiles = tiling.coordinates();
  for (size_t device = 0; device < tiles.size(); ++device) {
    const auto tile = tiles[device];
    tile[to] = tile[to] * ratio + tile[from] % ratio;
    tile[from] /= ratio;
  }
  std::vector<int64_t> counts = tiling.counts;
  counts[from] /= ratio;
  counts[to] *= ratio;
  return tiling_of(std::move(counts), tiling.order, tiles);
}

std::optional<Tiling> finer_by_replicas(const Tiling& from, const Tiling& to,
                                        const std::vector<int64_t>& base) {
  for (size_t d = 0; d < from.rank(); ++d) {
    if (to.counts[d] % from.counts[d] != 0) continue;
    const int64_t ratio = std::gcd(from.replicas(), to.counts[d] / from.counts[d]);
    if (ratio == 1 || (from.counts[d] > 1 && !tiles_nest(base[d], from.counts[d], from.counts[d] * ratio)))
      continue;
    TilePlaces tiles = from.coordinates();
    const std::vector<int64_t> replica = from.replica_numbers();
    const int64_t each = from.replicas() / ratio;
    for (size_t device = 0; device < tiles.size(); ++device)
      tiles[device][d] = tiles[device][d] * ratio + replica[device] / each;
    std::vector<int64_t> counts = from.counts;
    counts[d] *= ratio;
    return tiling_of(std::move(counts), from.order, tiles);
  }
  return std::nullopt;
}

Tiling common_cut(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base) {
  Tiling out = from;
  for (size_t d = 0; d < from.rank(); ++d) {
    const int64_t a = from.counts[d], b = to.counts[d];
    const int64_t coarse = std::min(a, b), fine = std::max(a, b);
    const bool nest = fine % coarse == 0 && tiles_nest(base[d], coarse, fine);
    const int64_t keep = nest ? coarse : 1;
    if (keep != a) out = coarsened(out, d, a / keep);
  }
  return out;
}

Move next_move(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base, ReplicaParts parts) {
  if (from.counts == to.counts) return {Move::Kind::permute, from, to, {}};
  if (refines(to, from)) {
    // Where devices must change places they do so with the smaller tiles; these may end where no larger one
    // does.
    const Tiling above = nested_above(from, to);
    Tiling finer = from;
    while (const auto next = finer_by_replicas(finer, to, to.counts)) finer = *next;
    if (!same_tiles(above, from) && finer.counts != from.counts)
      return {Move::Kind::slice, from, std::move(finer), {}};
    return {Move::Kind::slice, above, to, {}};
  }
  if (refines(from, to)) return {Move::Kind::gather, nested_below(from, to), to, {}};
  const auto exchange = find_exchange(from, to, base);
  const auto exchanged = [&](const Exchange& e) {
    return Move{Move::Kind::exchange, from, cut_moved(from, e.from, e.to, e.ratio), e};
  };
  // As many tiles on both sides: a cut that goes to another dimension goes there at once.
  if (from.replicas() == to.replicas()) {
    if (exchange) return exchanged(*exchange);
    if (const auto swap = first_of_swaps(from, to)) return exchanged(*swap);
  }
  const bool computed = parts == ReplicaParts::allowed;
  if (computed || to.replicas() == 1) {
    if (const auto nesting = nesting_exchange(from, to, base)) return exchanged(*nesting);
    // Replicas can each take a part: less to move afterwards.
    const auto finer = finer_by_replicas(from, to, base);
    const auto then = [&] {
      return cuts_whole_dimension(*finer, from) &&
             (find_exchange(*finer, to, base) || first_of_swaps(*finer, to));
    };
    if (finer && (computed || then())) return {Move::Kind::slice, from, *finer, {}};
  }
  if (computed && exchange) return exchanged(*exchange);
  if (auto whole = gathered_for_exchange(from, to, base))
    return {Move::Kind::through, from, *std::move(whole), {}};
  if (computed) return {Move::Kind::through, from, common_cut(from, to, base), {}};
  if (auto whole = gathered_for_slice(from, to, base))
    return {Move::Kind::through, from, *std::move(whole), {}};
  return {Move::Kind::through, from, gathered(from), {}};
}

std::vector<Move> plan_moves(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base) {
  std::vector<Move> out;
  for (Tiling at = from; !same_tiles(at, to);) {
    Move move = next_move(at, to, base);
    if (move.kind == Move::Kind::through) {
      for (Move& m : plan_moves(at, move.next, base)) out.push_back(std::move(m));
    } else if (!same_tiles(at, move.first)) {
      out.push_back({Move::Kind::permute, at, move.first, {}});
      at = move.first;
      continue;
    } else {
      out.push_back(move);
    }
    at = std::move(move.next);
  }
  return out;
}

bool is_full_copy(const Move& move, const Tiling& from, const Tiling& to) {
  return move.kind == Move::Kind::through && move.next.is_replicated() && !from.is_replicated() &&
         !to.is_replicated();
}

bool needs_full_copy(const Tiling& from, const Tiling& to, const std::vector<int64_t>& base) {
  const Move move = next_move(from, to, base);
  if (is_full_copy(move, from, to)) return true;
  if (move.next == to) return false;
  return (move.kind == Move::Kind::through && needs_full_copy(from, move.next, base)) ||
         needs_full_copy(move.next, to, base);
}

}  // namespace shardscope::inline sharding
