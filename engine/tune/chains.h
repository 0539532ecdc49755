// SPDX-License-Identifier: Apache-2.0
// One mesh's candidates out of its timed layer options.
#pragma once

#include <vector>

#include "engine/tune/choices.h"

namespace shardscope {

// A layer option and what its schedule said. Times in seconds; the last three sum to total_s.
struct TimedOption {
  const LayerOption* option = nullptr;
  double total_s = 0;
  int64_t peak_bytes = 0;                             // of the busiest device
  double bandwidth_s = 0, latency_s = 0, rest_s = 0;  // of the critical path
};

struct TimedLayer {
  MatmulProblem problem;
  std::vector<TimedOption> options;  // at least one
};

// The layers in order; the last one's result is the first one's X again, as in a stack of equal blocks. First
// the chain with the least time of products and resharding, then ever slower ones that need less memory.
std::vector<TuneCandidate> chains_of(const Mesh& mesh, const Hardware& hardware, const TuneModel& model,
                                     const std::vector<TimedLayer>& layers);

// Marks the candidates that no other one beats in both time and memory, and gives the fastest that fits; the
// fastest of all when none does; -1 when there is none.
int32_t mark_front(std::vector<TuneCandidate>& candidates);

}  // namespace shardscope
