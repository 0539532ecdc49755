// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/study/error_growth.h"

namespace shardscope::inline report {

// A row per mode, a column per length: measured error over √k, and the law.
std::string error_growth_text(const ErrorGrowth& growth);
// {"seed","samples","curves":[{"id","title","law","points":[{"k","error","law"}]}]}
std::string error_growth_json(const ErrorGrowth& growth);

}  // namespace shardscope::inline report
