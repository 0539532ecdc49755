// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/tiling.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace shardscope::inline sharding {
namespace {

bool contains(const std::vector<int64_t>& dims, size_t d) {
  return std::ranges::count(dims, static_cast<int64_t>(d)) > 0;
}

// Devices in the order of the tile that `place_of` says of each, replicas in that of `devices`. False: tiles
// are not held by equally many.
template <class PlaceOf>
bool put_in_order(const std::vector<int64_t>& devices, int64_t tiles, const PlaceOf& place_of,
                  std::vector<int64_t>& out) {
  const size_t copies = devices.size() / static_cast<size_t>(tiles);
  std::vector<size_t> held(static_cast<size_t>(tiles));
  out.assign(devices.size(), 0);
  for (const int64_t device : devices) {
    const auto tile = static_cast<size_t>(place_of(static_cast<size_t>(device)));
    if (held[tile] == copies) return false;
    out[tile * copies + held[tile]++] = device;
  }
  return true;
}

// Builds a tiling from each device's tile; replicas stand in the order of `devices`.
Tiling from_tiles(std::vector<int64_t> counts, const std::vector<int64_t>& devices,
                  const TilePlaces& tile_of) {
  Tiling out{std::move(counts), {}};
  const auto place_of = [&](size_t device) {
    const auto tile = tile_of[device];
    int64_t place = 0;
    for (size_t d = 0; d < out.counts.size(); ++d) place = place * out.counts[d] + tile[d];
    return place;
  };
  CHECK(put_in_order(devices, out.tiles(), place_of, out.order.edit()), devices.size(), out.tiles());
  return out;
}

}  // namespace

Tiling Tiling::replicated(size_t rank, int64_t devices) {
  Tiling out{std::vector<int64_t>(rank, 1), std::vector<int64_t>(static_cast<size_t>(devices))};
  std::iota(out.order.edit().begin(), out.order.edit().end(), 0);
  return out;
}

Result<Tiling> Tiling::from(const HloSharding& sharding, size_t rank, int64_t devices) {
  if (sharding.kind == HloSharding::Kind::replicated) return replicated(rank, devices);
  const auto is_replica = [](HloSharding::Subgroup s) { return s == HloSharding::Subgroup::replicated; };
  if (sharding.kind != HloSharding::Kind::tiled || !std::ranges::all_of(sharding.subgroups, is_replica)) {
    return invalid("sharding " + sharding.text() + " cannot be partitioned", "",
                   "use replicated or devices=[…]");
  }
  if (sharding.data_rank() != rank) {
    return invalid(fmt::format("sharding {} tiles {} dimensions, the array has rank {}", sharding.text(),
                               sharding.data_rank(), rank));
  }
  Tiling out{{sharding.tiles.dims.begin(), sharding.tiles.dims.begin() + static_cast<std::ptrdiff_t>(rank)},
             sharding.tiles.devices};
  std::vector<int64_t> sorted = out.order;
  std::ranges::sort(sorted);
  const char* fix =
      "give every device a tile or a copy, with last_tile_dim_replicate; --devices says how many there are";
  if (static_cast<int64_t>(sorted.size()) != devices)
    return invalid(fmt::format("sharding {} names {} devices, expected 0 to {}", sharding.text(),
                               sorted.size(), devices - 1),
                   "", fix);
  for (int64_t i = 0; i < devices; ++i) {
    if (sorted[static_cast<size_t>(i)] == i) continue;
    return invalid(fmt::format("sharding {} names device {}, expected 0 to {}, each once", sharding.text(),
                               sorted[static_cast<size_t>(i)], devices - 1),
                   "", fix);
  }
  return out;
}

HloSharding Tiling::sharding() const {
  HloSharding out;
  if (is_replicated()) return out;
  out.kind = HloSharding::Kind::tiled;
  out.tiles.dims = counts;
  out.tiles.devices = order;
  if (replicas() > 1) {
    out.tiles.dims.push_back(replicas());
    out.subgroups = {HloSharding::Subgroup::replicated};
  }
  return out;
}

int64_t Tiling::tiles() const {
  return std::accumulate(counts.begin(), counts.end(), int64_t{1}, std::multiplies<>());
}

TilePlaces Tiling::coordinates() const {
  TilePlaces out(order.size(), rank());
  const auto copies = static_cast<size_t>(replicas());
  std::vector<int64_t> tile(rank());
  for (size_t place = 0; place < order.size(); ++place) {
    std::ranges::copy(tile, out[static_cast<size_t>(order[place])].begin());
    if ((place + 1) % copies != 0) continue;
    for (size_t d = rank(); d-- > 0;) {  // the next tile, row-major
      if (++tile[d] < counts[d]) break;
      tile[d] = 0;
    }
  }
  return out;
}

std::vector<int64_t> Tiling::replica_numbers() const {
  std::vector<int64_t> out(order.size());
  for (size_t place = 0; place < order.size(); ++place)
    out[static_cast<size_t>(order[place])] = static_cast<int64_t>(place) % replicas();
  return out;
}

int64_t Tiling::count_of(const std::vector<int64_t>& dims) const {
  int64_t product = 1;
  for (const int64_t d : dims) product *= counts[static_cast<size_t>(d)];
  return product;
}

Tiling Tiling::merged(const std::vector<int64_t>& dims) const {
  std::vector<int64_t> rest = counts;
  auto tile = coordinates();
  for (const int64_t d : dims) {
    rest[static_cast<size_t>(d)] = 1;
    for (size_t device = 0; device < tile.size(); ++device) tile[device][static_cast<size_t>(d)] = 0;
  }
  return from_tiles(std::move(rest), order, tile);
}

Tiling Tiling::mapped(const std::vector<int64_t>& map) const {
  std::vector<int64_t> to;
  for (const int64_t from : map) to.push_back(from < 0 ? 1 : counts[static_cast<size_t>(from)]);
  const auto tile = coordinates();
  TilePlaces moved(order.size(), map.size());
  for (size_t device = 0; device < order.size(); ++device) {
    for (size_t d = 0; d < map.size(); ++d)
      if (map[d] >= 0) moved[device][d] = tile[device][static_cast<size_t>(map[d])];
  }
  return from_tiles(std::move(to), order, moved);
}

std::vector<int64_t> TilePlaces::along(size_t dim) const {
  std::vector<int64_t> out(devices_);
  for (size_t device = 0; device < devices_; ++device) out[device] = (*this)[device][dim];
  return out;
}

bool same_tiles(const Tiling& a, const Tiling& b) {
  return a.counts == b.counts && (a.order == b.order || a.coordinates() == b.coordinates());
}

std::vector<int64_t> tile_dims(const Tiling& tiling, const std::vector<int64_t>& dims) {
  std::vector<int64_t> out = dims;
  for (size_t d = 0; d < dims.size(); ++d) out[d] = (dims[d] + tiling.counts[d] - 1) / tiling.counts[d];
  return out;
}

std::optional<Tiling> merged_tilings(const Tiling& a, const Tiling& b) {
  if (a.rank() != b.rank() || a.devices() != b.devices()) return std::nullopt;
  Tiling out{a.counts, {}};
  for (size_t d = 0; d < a.rank(); ++d) {
    if (a.counts[d] > 1 && b.counts[d] > 1 && a.counts[d] != b.counts[d]) return std::nullopt;
    out.counts[d] = std::max(a.counts[d], b.counts[d]);
  }
  const int64_t tiles = out.tiles();
  if (tiles > a.devices() || a.devices() % tiles != 0) return std::nullopt;
  const auto in_a = a.coordinates(), in_b = b.coordinates();
  for (size_t device = 0; device < in_a.size(); ++device)
    for (size_t d = 0; d < a.rank(); ++d)
      if (a.counts[d] > 1 && b.counts[d] > 1 && in_a[device][d] != in_b[device][d]) return std::nullopt;
  const auto place_of = [&](size_t device) {
    int64_t place = 0;
    for (size_t d = 0; d < a.rank(); ++d)
      place = place * out.counts[d] + (a.counts[d] > 1 ? in_a : in_b)[device][d];
    return place;
  };
  if (!put_in_order(a.order, tiles, place_of, out.order.edit())) return std::nullopt;
  return out;
}

DeviceGroups group_by(const Tiling& tiling, const std::vector<int64_t>& dims) {
  DeviceGroups out;
  out.groups.resize(static_cast<size_t>(tiling.count_of(dims)));
  const auto tile = tiling.coordinates();
  for (const int64_t device : tiling.order) {
    int64_t group = 0;
    for (size_t d = 0; d < tiling.rank(); ++d)
      if (contains(dims, d)) group = group * tiling.counts[d] + tile[static_cast<size_t>(device)][d];
    out.groups[static_cast<size_t>(group)].push_back(device);
  }
  return out;
}

std::optional<Tiling> within_groups(const Tiling& tiling, const std::vector<int64_t>& dims,
                                    const DeviceGroups& groups) {
  const auto tile = tiling.coordinates();
  const auto seen = [&](int64_t device, std::span<int64_t> out) {
    std::ranges::copy(tile[static_cast<size_t>(device)], out.begin());
    for (const int64_t d : dims) out[static_cast<size_t>(d)] = 0;
  };
  TilePlaces inner(static_cast<size_t>(groups.size()), tiling.rank());
  std::vector<int64_t> counts = tiling.counts;
  for (const int64_t d : dims) counts[static_cast<size_t>(d)] = 1;
  int64_t tiles = 1;
  for (const int64_t c : counts) tiles *= c;
  if (groups.size() % tiles != 0) return std::nullopt;
  std::vector<int64_t> holders(static_cast<size_t>(tiles), 0);
  for (int64_t i = 0; i < groups.size(); ++i) {
    const auto own = inner[static_cast<size_t>(i)];
    seen(groups.groups.front()[static_cast<size_t>(i)], own);
    int64_t place = 0;
    for (size_t d = 0; d < counts.size(); ++d) place = place * counts[d] + own[d];
    ++holders[static_cast<size_t>(place)];
  }
  for (const int64_t n : holders)
    if (n != groups.size() / tiles) return std::nullopt;
  std::vector<int64_t> other(tiling.rank());
  for (const auto& group : groups.groups) {
    for (size_t i = 0; i < group.size(); ++i) {
      seen(group[i], other);
      if (!std::ranges::equal(other, inner[i])) return std::nullopt;
    }
  }
  std::vector<int64_t> numbers(static_cast<size_t>(groups.size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  return from_tiles(std::move(counts), numbers, inner);
}

Tiling across_groups(const Tiling& inner, const std::vector<int64_t>& dims,
                     const std::vector<int64_t>& counts, const DeviceGroups& groups) {
  const auto tile = inner.coordinates();
  TilePlaces tile_of(static_cast<size_t>(groups.count() * groups.size()), counts.size());
  std::vector<int64_t> devices;
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    int64_t cells = 1;
    for (const int64_t d : dims) cells *= counts[static_cast<size_t>(d)];
    const int64_t copies = groups.count() / cells;
    for (size_t i = 0; i < groups.groups[g].size(); ++i) {
      const auto t = tile_of[static_cast<size_t>(groups.groups[g][i])];
      std::ranges::copy(tile[i], t.begin());
      int64_t rest = static_cast<int64_t>(g) / copies;
      for (size_t k = dims.size(); k-- > 0;) {
        const auto d = static_cast<size_t>(dims[k]);
        t[d] = rest % counts[d];
        rest /= counts[d];
      }
      devices.push_back(groups.groups[g][i]);
    }
  }
  std::ranges::sort(devices);
  return from_tiles(counts, devices, tile_of);
}

}  // namespace shardscope::inline sharding
