// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/hardware/hardware.h"
#include "engine/plan/work.h"

namespace shardscope::inline planner {

// Products slow down where a chip's clock falls under power, as far as they fill the time that the device
// computes (its waits for collectives are not looked at). Gives back what that assumes, or nothing.
std::string slow_by_power(const Hardware& hardware, WorkPlan& plan);

}  // namespace shardscope::inline planner
