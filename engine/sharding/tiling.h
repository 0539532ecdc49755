// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/sharding/hlo_sharding.h"

namespace shardscope::inline sharding {

// By device: the coordinates of its tile, all in one piece of memory.
class TilePlaces {
 public:
  TilePlaces(size_t devices, size_t rank) : devices_(devices), rank_(rank), all_(devices * rank) {}
  size_t size() const { return devices_; }
  std::span<int64_t> operator[](size_t device) { return {all_.data() + device * rank_, rank_}; }
  std::span<const int64_t> operator[](size_t device) const { return {all_.data() + device * rank_, rank_}; }
  // Along one dimension, by device.
  std::vector<int64_t> along(size_t dim) const;
  bool operator==(const TilePlaces&) const = default;

 private:
  size_t devices_, rank_;
  std::vector<int64_t> all_;
};

// A sharding of an array over devices 0 … n-1, in the one form that partitioning computes with: how often
// each dimension is cut, and which devices hold which tile. Invariant: `order` is a permutation of the
// devices, row-major over counts and then over the replicas of a tile.
struct Tiling {
  std::vector<int64_t> counts;  // per dimension of the array, each >= 1
  Rare<std::vector<int64_t>> order;

  static Tiling replicated(size_t rank, int64_t devices);
  // replicated, or tiled with at most replicated subgroups; anything else (manual, maximal, …) is refused.
  // A sharding that names other devices than 0 … devices-1 is refused too.
  static Result<Tiling> from(const HloSharding& sharding, size_t rank, int64_t devices);
  HloSharding sharding() const;

  size_t rank() const { return counts.size(); }
  int64_t devices() const { return static_cast<int64_t>(order.size()); }
  int64_t tiles() const;  // product of counts
  int64_t replicas() const { return devices() / tiles(); }
  bool is_replicated() const { return tiles() == 1; }
  // By device: the coordinates of its tile, and its number among the tile's replicas.
  TilePlaces coordinates() const;
  std::vector<int64_t> replica_numbers() const;
  // Product of counts over `dims`.
  int64_t count_of(const std::vector<int64_t>& dims) const;
  // The same cut with `dims` no longer cut: devices that differed there become replicas.
  Tiling merged(const std::vector<int64_t>& dims) const;
  // Dimension i of the result is dimension map[i] of this; -1: a new one that is not cut. Dimensions that no
  // entry names are merged.
  Tiling mapped(const std::vector<int64_t>& map) const;
  bool operator==(const Tiling&) const = default;
};

// Every device holds the same tile: they differ at most in the order of replicas.
bool same_tiles(const Tiling& a, const Tiling& b);
// Tile shape of an array of `dims`: each dimension ceil(dim / count).
std::vector<int64_t> tile_dims(const Tiling& tiling, const std::vector<int64_t>& dims);

// Both cuts at once: where both cut a dimension they cut it alike. None: no tiling does that, since devices
// that share a tile of both are not equally many everywhere.
std::optional<Tiling> merged_tilings(const Tiling& a, const Tiling& b);

// Devices cut in groups that work by themselves. groups[g][i]: the device with number i in group g.
struct DeviceGroups {
  std::vector<std::vector<int64_t>> groups;
  int64_t count() const { return static_cast<int64_t>(groups.size()); }
  int64_t size() const { return static_cast<int64_t>(groups.front().size()); }
  bool operator==(const DeviceGroups&) const = default;
};
// Groups of the devices that share their place on all of `dims`; inside a group devices stand in the order of
// the other dimensions and replicas.
DeviceGroups group_by(const Tiling& tiling, const std::vector<int64_t>& dims);
// The tiling that device i of every group has inside its group when `dims` are what separates the groups;
// none when groups disagree (device i holds different tiles, dims aside, in different groups).
std::optional<Tiling> within_groups(const Tiling& tiling, const std::vector<int64_t>& dims,
                                    const DeviceGroups& groups);
// A tiling with `counts` whose devices of each group hold, by their number, what `inner` says and, on `dims`,
// the place of their group (row-major over dims; groups beyond that are replicas).
Tiling across_groups(const Tiling& inner, const std::vector<int64_t>& dims,
                     const std::vector<int64_t>& counts, const DeviceGroups& groups);

}  // namespace shardscope::inline sharding
