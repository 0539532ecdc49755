// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/measure/import/profile.h"

namespace shardscope::inline measure {

// Events of collectives by what became of their waiting.
struct SplitWaiting {
  int64_t alone = 0;    // could not be put together: their group is not known, or the clocks do not agree
  int64_t assumed = 0;  // their group is not known, and they overlap on all devices each time
};
// What of a collective's time is waiting for the last device of its group. `events` are by start; `wait` of a
// collective's is the number of its group as the file tells it, 0: as its operation's groups say, and becomes
// its waiting. `numbers`: what the machine calls each device, -1: not known.
SplitWaiting split_waiting(const std::vector<ProfiledOperation>& operations,
                           const std::vector<int64_t>& numbers, std::vector<MeasuredEvent>& events);
// Of "/device:TPU:3" and "CPU 3" 3; all are -1 where two have the same.
std::vector<int64_t> device_numbers(const std::vector<std::string>& names);

// Events of these lanes that lie in others of their lane take that time from them, which fall into pieces.
void split_enclosing(const std::set<int16_t>& lanes, std::vector<MeasuredEvent>& events);

}  // namespace shardscope::inline measure
