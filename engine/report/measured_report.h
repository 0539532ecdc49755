// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/run/measured.h"

namespace shardscope::inline report {

// What an import came to: `id` in its workspace. Operations by their time, the longest first.
std::string measured_json(const MeasuredTrace& trace, int64_t id);
std::string measured_text(const MeasuredTrace& trace, int64_t id);
// Those of a workspace: {measured:[…]}.
std::string measured_list_json(const std::vector<MeasuredSummary>& traces);
std::string measured_list_text(const std::vector<MeasuredSummary>& traces);

}  // namespace shardscope::inline report
