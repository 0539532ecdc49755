// SPDX-License-Identifier: Apache-2.0
// Which candidates count.
#pragma once

#include <vector>

#include "engine/tune/chains.h"

namespace shardscope::inline tuner {

// Marks the candidates that no other one beats in both time and memory, and gives the fastest that fits; the
// fastest of all when none does; -1 when there is none.
int32_t mark_front(std::vector<TuneCandidate>& candidates);

// Whether no chain within the limits can be on that front: however fast it is by its bound, what it needs is
// more than some candidate needs that is faster than the bound.
bool all_are_beaten(ChainSearch& search, ChainLimits limits, const std::vector<const TuneCandidate*>& by);

}  // namespace shardscope::inline tuner
