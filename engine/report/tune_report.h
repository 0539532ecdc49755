// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/study/tuning.h"

namespace shardscope::inline report {

// The best candidate layer by layer, then all candidates by time, then what the times stand for.
std::string tune_text(const TuneResult& result);
// {"mesh":[r,c],"layers":[{"name","dataflow","transpose","slices",…}],"candidates":[{"mesh","traffic_s",
// "latency_s","pipeline_s",…}],…}: the best one's mesh and layers first; null and [] when there is none.
// Candidates are in the order they were found; "best" is the best one's place among them. Seconds, bytes.
std::string tune_json(const TuneResult& result);

}  // namespace shardscope::inline report
