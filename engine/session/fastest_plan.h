// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/session/plan.h"

namespace shardscope::inline session {

// Of a strategy that has several plans for one problem the one that takes the least time on the plan's
// hardware, as it is (without what an experiment changes of it). Its choices say the times. `plan` has
// strategy, request and hardware; what is known of collectives is looked up and kept there. A chip that
// cannot time them leaves the first.
Result<Program> fastest_plan(Plan& plan, const StrategyOptions& options, const std::stop_token& stop);

}  // namespace shardscope::inline session
