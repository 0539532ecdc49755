// SPDX-License-Identifier: Apache-2.0
// Round numbers for axes.
#pragma once

#include <string>
#include <vector>

#include "engine/run/trace_source.h"

namespace shardscope::inline views {

struct TimeTick {
  Picoseconds time = 0;
  std::string label;  // "20 µs": one unit along the whole axis
};
// Multiples of 1, 2 or 5 · 10^n, at most `most` of them.
std::vector<TimeTick> time_ticks(TimeRange range, int most);
// The step of 1, 2 or 5 · 10^n that divides `span` into at most `most` parts.
double nice_step(double span, int most);

}  // namespace shardscope::inline views
