// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/run/measured.h"

namespace shardscope::inline measure {

// What of a collective's time is waiting for its last device. `events` are by start; `wait` of a collective's
// is the number of its group (0: not known) and becomes its waiting. The result is how many of its events
// could not be put together: their group is not known, or the clocks of their devices do not agree.
int64_t split_waiting(const std::vector<MeasuredOperation>& operations, std::vector<MeasuredEvent>& events);

// Events of these lanes that lie in others of their lane take that time from them, which fall into pieces.
void split_enclosing(const std::set<int16_t>& lanes, std::vector<MeasuredEvent>& events);

}  // namespace shardscope::inline measure
