// SPDX-License-Identifier: Apache-2.0
// What every TraceSource does the same way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/run/trace_source.h"

namespace shardscope::inline run {

Error no_such_event(int64_t number, int64_t event_count);
Result<void> check_lane(const TraceSource& trace, DeviceId device, int lane);

// The steps of TraceSource::steps.
std::vector<TraceSource::Step> trace_steps(std::span<const Event> events);

// Says whether stretches of a lane, asked for in ascending order, hold a critical event.
class CriticalWalk {
 public:
  explicit CriticalWalk(std::span<const int32_t> critical) : critical_(critical) {}
  bool any(int32_t first, int32_t count) {
    while (next_ < critical_.size() && critical_[next_] < first) ++next_;
    return next_ < critical_.size() && critical_[next_] < first + count;
  }

 private:
  std::span<const int32_t> critical_;  // places in the lane, ascending
  size_t next_ = 0;
};

}  // namespace shardscope::inline run
