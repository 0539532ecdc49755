// SPDX-License-Identifier: Apache-2.0
// What devices do in a stretch of time, for the views; engine/story/sums says what the words mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/story/sums/range_statistics.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// More events than that are not gone over while somebody waits for a picture; the sums of a whole run may be
// at hand nevertheless.
inline constexpr int64_t kMostSummed = 4'000'000;
inline constexpr int64_t kMostSummedMeanwhile = 400'000;  // while the run's sums are on their way

// The devices that a range's sums are of: the one that is selected, else all.
std::vector<int32_t> chosen_devices(const ViewInput& input, const Selection& selection);
bool can_be_summed(const ViewInput& input);
// Why not: "30,127,104 events are too many to be summed here"; empty: they can.
std::string why_not_summed(const ViewInput& input);
// The operations of the run's events, at hand or found now.
Operations operations_of(const ViewInput& input);
// None: the events are too many, or were not kept.
std::optional<RangeStatistics> range_sums(const ViewInput& input, TimeRange range,
                                          const std::vector<int32_t>& devices);

struct DeviceSums {
  Picoseconds compute = 0, exposed = 0, idle = 0;
  int64_t bytes_sent = 0;
  bool approximate = false;  // too many events: read off merged ones, arrivals left out
};
DeviceSums device_sums(const ViewInput& input, int32_t device, TimeRange range);

}  // namespace shardscope::inline views
