// SPDX-License-Identifier: Apache-2.0
// What devices do in a range, by operation: what `story --range` prints.
#pragma once

#include <string>

#include "engine/story/sums/range_statistics.h"

namespace shardscope::inline report {

// {start_s, end_s, devices, events, cut, terms:{compute_s, comm_s, exposed_s, idle_s}, bytes_sent,
// operations:[{key, count, cut, sum_s, min_s, mean_s, max_s, busy_s, share, gaps_s, under_compute_s,
// bytes}]}; terms, busy_s and under_compute_s are means over the devices, under_compute_s is null for what
// computes.
std::string range_json(const RangeStatistics& sums);
std::string range_text(const RangeStatistics& sums);

}  // namespace shardscope::inline report
