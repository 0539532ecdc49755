// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/fabric.h"

namespace shardscope::inline collectives {

struct TimedAlgorithm {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  double seconds = 0;
  double events = 0;  // messages on links, as many as must be played to know better
};

inline constexpr size_t kSaidOf = 3;  // algorithms at most that `why` speaks of

// The fastest legal algorithm and a sentence why, e.g. "bidirectional: 692 µs, against 1.35 ms by ring
// and 1.6 ms by doubling". `timed`: all that are legal, fastest first.
struct AlgorithmChoice {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
  std::string why;
  std::vector<TimedAlgorithm> timed;
};

// Lowers each legal algorithm and adds up its steps (step_seconds), as if all ranks began each step together:
// what is estimated too low or too high by what waits in queues is for the scheduler to play. `bytes`: of the
// whole array, as for lower. Not for permutes, which have one algorithm.
AlgorithmChoice choose(CollectiveKind kind, int32_t ranks, const GroupTopology& topology, int64_t bytes,
                       const LinkCosts& costs);
// By their seconds, equal ones as they stand in the table of algorithms.
AlgorithmChoice decide(std::vector<TimedAlgorithm> timed);

}  // namespace shardscope::inline collectives
