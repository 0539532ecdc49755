// SPDX-License-Identifier: Apache-2.0
// MeshSlice's published autotuner: the mesh with the least traffic + latency, the first of equals.
#pragma once

#include <cstdint>

#include "engine/base/result.h"
#include "engine/study/tuning.h"

namespace shardscope::inline tuner {

// Refuses a number of chips without a mesh of 4, 8, 16, … rows and at least 4 columns.
Result<TuneResult> tune_published(const TuneModel& model, int64_t chips);

}  // namespace shardscope::inline tuner
