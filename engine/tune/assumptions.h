// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/study/tuning.h"

namespace shardscope::inline tuner {

// What a tuning by simulated times takes for granted, a sentence each.
std::vector<std::string> assumptions_of(TuneStep step);

}  // namespace shardscope::inline tuner
