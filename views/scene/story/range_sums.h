// SPDX-License-Identifier: Apache-2.0
// Sums over a stretch of time, as CONTRIBUTING.md defines the words.
#pragma once

#include "views/scene/core/layouts.h"

namespace shardscope {

struct LaneSums {
  int64_t count = 0;
  int64_t bytes = 0;
  Picoseconds busy = 0;                              // time covered inside the range
  Picoseconds shortest = 0, longest = 0, total = 0;  // durations of the events that touch it
};

struct RangeSums {
  Picoseconds compute = 0, comm = 0, exposed = 0, idle = 0;
  int64_t bytes_sent = 0;
  bool approximate = false;  // too many events: read off merged ones, arrivals left out
  std::vector<LaneSums> lanes;
};

RangeSums range_sums(const ViewInput& input, int32_t device, TimeRange range);

}  // namespace shardscope
