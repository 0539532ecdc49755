// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/collectives/collective.h"
#include "engine/mesh/permutation.h"

namespace shardscope::inline collectives {

// A collective-permute of all devices: one step; chunk d is what device d sends. Pairs of a device with
// itself move nothing. `axes` of the mesh: which turns rotation_symmetric means.
std::shared_ptr<const CollectiveSchedule> permute_schedule(std::shared_ptr<const Permutation> permutation,
                                                           int32_t devices,
                                                           const std::vector<GroupAxis>& axes = {});

}  // namespace shardscope::inline collectives
