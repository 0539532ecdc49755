// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/fabric.h"

namespace shardscope {

struct TimedAlgorithm {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  double seconds = 0;
};

// The fastest legal algorithm and a sentence why, e.g. "bidirectional: 692 µs, against 1.35 ms by ring
// and 1.6 ms by doubling". `timed`: all that are legal, fastest first.
struct AlgorithmChoice {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  std::string why;
  std::vector<TimedAlgorithm> timed;
};

// Lowers each legal algorithm and adds up its steps (step_seconds). `bytes`: of the whole array, as for
// lower. Not for permutes, which have one algorithm.
AlgorithmChoice choose(CollectiveKind kind, int32_t ranks, const GroupTopology& topology, int64_t bytes,
                       const LinkCosts& costs);

}  // namespace shardscope
