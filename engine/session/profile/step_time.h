// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "engine/session/profile/profile_beside.h"

namespace shardscope::inline session {

// The steps of a trace; all of it where none are known.
std::vector<TimeRange> steps_or_whole(const MeasuredTrace& trace);

// The parts of a stretch of time that lie in steps.
template <class Take>
void each_part_in(const std::vector<TimeRange>& steps, TimeRange range, Take take) {
  auto step = std::ranges::upper_bound(steps, range.start, {}, &TimeRange::start);
  if (step != steps.begin()) --step;
  for (; step != steps.end() && step->start < range.end; ++step) {
    const TimeRange part{std::max(step->start, range.start), std::min(step->end, range.end)};
    if (part.length() > 0 || range.length() == 0) take(part);
  }
}

StepTime step_time(const Profile& profile, const std::vector<TimeRange>& steps);

}  // namespace shardscope::inline session
