// SPDX-License-Identifier: Apache-2.0
// What the works of a loop plan wait for, and which of it need not be said.
#pragma once

#include <cstddef>

#include "engine/plan/loops/loop_plan.h"

namespace shardscope::inline planner {

// The works that each waits for, joins looked through.
std::vector<Needs> needs_of(const WorkPlan& plan);

// What a work waits for, without products before the last.
Needs that_count(const LoopPlan& loops, size_t work);

// What comes after a loop (its rounds begin at `loop`, `round` is to be repeated) may wait for something of
// each round: where another thing that it waits for comes after all of those anyway, that alone counts.
void leave_out_implied(LoopPlan& loops, size_t loop, const LoopBlock& round);

// A device's products go one after the other: of those that a work waits for, the ones that rounds make
// before those that are named are left out.
void leave_out_earlier_products(LoopPlan& loops);

}  // namespace shardscope::inline planner
