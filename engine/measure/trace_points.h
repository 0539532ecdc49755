// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/measure/points.h"
#include "engine/run/measured.h"

namespace shardscope::inline measure {

// The products, collectives and elementwise operations of a measured trace as points of `chip`, each with the
// median of its times. A product or collective whose sizes the profiler did not write is of kind unknown.
std::vector<MeasuredPoint> points_of(const MeasuredTrace& trace, const std::string& chip);

}  // namespace shardscope::inline measure
