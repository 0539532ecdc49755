// SPDX-License-Identifier: Apache-2.0
// The choice of algorithms by playing them.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "engine/collectives/choose.h"
#include "engine/hardware/fabric.h"

namespace shardscope {

// What an algorithm is chosen, and a schedule made, for.
struct CollectiveShape {
  CollectiveKind kind;
  int32_t ranks;
  int64_t bytes;  // of the whole array
  GroupTopology topology;
  bool operator==(const CollectiveShape&) const = default;
};

// The algorithm with which the collective, alone on whole links, ends first. Those that the load of the links
// makes hopeful are played; where too many messages would have to be, the load decides. An answer is kept, as
// programs ask again and again. Needs fabric.link_error() to be none. None when told to stop: on thousands of
// ranks playing takes minutes.
std::optional<AlgorithmChoice> fastest_algorithm(const CollectiveShape& shape, const Fabric& fabric,
                                                 const std::stop_token& stop);

}  // namespace shardscope
