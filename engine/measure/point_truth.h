// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/measure/points.h"
#include "engine/study/truth.h"

namespace shardscope::inline measure {

// Whether the chip's numbers that time a point were fitted to it: the source of the row that times it
// ([sources]: "product.bf16", "work.softmax", "link.op.all-gather"), else of the chip's [calibration], names
// the point's source.
bool is_fitted_to(const Hardware& chip, const MeasuredPoint& point);

// Each beside what the chip of its name takes for it, as that is shipped, or the file that it names
// (my-chip.toml). Error: stopped.
Result<std::vector<TruthPoint>> truth_of_points(const std::vector<MeasuredPoint>& points, int threads,
                                                const std::stop_token& stop);

}  // namespace shardscope::inline measure
