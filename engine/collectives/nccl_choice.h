// SPDX-License-Identifier: Apache-2.0
// `--collective nccl`: which of our algorithms stands for what NCCL would take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/collectives/nccl_model.h"
#include "engine/hardware/fabric.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline collectives {

struct NcclTaken {
  CollectiveAlgorithm algorithm =
      CollectiveAlgorithm::automatic;  // automatic: NCCL chooses none, `why` says why
  std::string why;
  bool operator==(const NcclTaken&) const = default;
};

// Within a node rings and trees are ours; a sum or gather by multicast goes straight to everyone over the
// switch, PAT goes as Bruck's. Between nodes the hierarchical algorithm stands for NCCL's rings and trees,
// which leave a node by all of its network cards: one ring of ours would leave by one. Only the choice is
// NCCL's: times are those of the chip's links and measurements. NCCL chooses for groups of as many devices on
// each of their nodes; `members`: the group's devices, `topology`: how they stand.
NcclTaken nccl_takes(const Hardware& hardware, const Fabric& fabric, const std::vector<int32_t>& members,
                     const GroupTopology& topology, const NcclCollective& collective);

}  // namespace shardscope::inline collectives
