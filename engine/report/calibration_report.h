// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/study/calibration.h"

namespace shardscope::inline report {

// Parameters with their intervals, then errors of each group before and after, then what was left out.
std::string calibration_text(const Calibration& calibration);
// {"chip","parameters":[{"name","value","low","high","unit","identified","points"}],"groups":[{"group","points",
// "train_error","test_error","worst"}],"file"}: seconds, bytes a second; errors are means of |predicted /
// measured − 1|, null where no point is. `file`: where the chip was written, null: nowhere.
std::string calibration_json(const Calibration& calibration, const std::string& file);

}  // namespace shardscope::inline report
