// SPDX-License-Identifier: Apache-2.0
// Parts of a module that say what each device (or group of devices) does by itself: between
// SPMDFullToShardShape and SPMDShardToFullShape, where jax.shard_map puts its body.
#pragma once

#include <optional>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

bool enters_region(const Instruction& instruction);  // SPMDFullToShardShape
bool leaves_region(const Instruction& instruction);  // SPMDShardToFullShape
// In XLA's words or in Shardy's.
bool has_manual_regions(const Program& module);
// {manual}, or tiled with a manual subgroup.
bool is_manual(const HloSharding& sharding);
HloSharding manual_sharding();  // {manual}

// Which instructions of a computation belong to which region. A region is the groups of devices that work by
// themselves in it: ascending inside a group, groups by their first device; under {manual} each device is
// one. Region 0 is what the computation itself is in. An instruction without a manual sharding is where its
// operands are.
struct ManualRegions {
  std::vector<DeviceGroups> groups;
  std::vector<size_t> of;  // by instruction

  static Result<ManualRegions> of_computation(const Computation& computation, const DeviceGroups& around);
};

// Which region each instruction of a module is in, as its own computation or its callers' say; 0: none.
struct ModuleRegions {
  std::vector<DeviceGroups> groups;
  std::vector<std::vector<size_t>> of;  // [computation][instruction]

  static Result<ModuleRegions> of_module(const Program& module, int64_t devices);
};
// [computation][instruction]: whether it is in a region.
Result<std::vector<std::vector<bool>>> instructions_in_regions(const Program& module, int64_t devices);

// The tiling that a sharding gives an array inside each group of its region, all sums added up.
Result<Tiling> tiling_in_groups(const HloSharding& sharding, size_t rank, const DeviceGroups& groups);
// How a region's groups lie in those of the region around it: devices by their place in the group around, the
// same in every one. None: they do not lie in them, or not in every one alike.
std::optional<DeviceGroups> groups_within(const DeviceGroups& around, const DeviceGroups& inner);
// `outer` tiles an array of `full` dimensions on the groups' devices; groups hold `local` dimensions of it
// each. How the devices of every group tile that: place p of a group by the p-th of its devices. None: they
// do not, or not in every group alike.
std::optional<Tiling> inner_of(const Tiling& outer, const std::vector<int64_t>& full,
                               const std::vector<int64_t>& local, const DeviceGroups& groups);

}  // namespace shardscope::inline partitioner
