// SPDX-License-Identifier: Apache-2.0
// Devices of a tiling in groups that differ along some of its dimensions, as XLA's product strategy cuts
// them.
#pragma once

#include <optional>
#include <vector>

#include "engine/partition/reshard/spmd_writer.h"

namespace shardscope::inline partitioner {

// Group g stands at place g along `dims` (row-major, `sizes` of them), its devices hold what `inner` says.
// The tiling's rank as a dimension: its replicas.
struct Grouped {
  std::vector<int64_t> dims, sizes;
  DeviceGroups groups;
  Tiling inner;
};

// `replicas_left`: how many replicas of a tile stay in each group when its replicas are among `dims`.
Grouped grouped_on(const Tiling& tiling, const std::vector<int64_t>& dims, int64_t replicas_left = 1);
// The tiling of all devices.
Tiling ungrouped(const Grouped& grouped);

// With the groups of `reference`: where these are the same devices, everyone holds what he held.
enum class GroupOrder { kept, any };
Grouped aligned(Grouped grouped, const DeviceGroups& reference, GroupOrder order = GroupOrder::kept);

// Dimensions along which the groups stand at places of their own, each at one; none: they do not.
std::optional<std::vector<int64_t>> matching_dims(const Tiling& tiling, const DeviceGroups& groups);

// How often a tiling cuts these dimensions.
std::vector<int64_t> counts_on(const Tiling& tiling, const std::vector<int64_t>& on);
// The same order of devices, `on` cut `counts` times; as many tiles as before.
Tiling recounted(Tiling tiling, const std::vector<int64_t>& on, const std::vector<int64_t>& counts);

// Devices stand at the same places along both lists of dimensions, which are cut as often.
bool same_places(const Tiling& a, const std::vector<int64_t>& on_a, const Tiling& b,
                 const std::vector<int64_t>& on_b);

// Copies of a tile that is not the whole array.
bool is_partly_replicated(const Tiling& tiling);
// Groups of the devices that hold the same tile.
DeviceGroups replica_groups_of(const Tiling& tiling);
// Dimension `dim` and the replicas change places.
Tiling with_replicas_at(const Tiling& tiling, size_t dim);

// The value in its groups: it lies as `grouped` says.
Sharded enter(const Sharded& value, const Grouped& grouped);

}  // namespace shardscope::inline partitioner
