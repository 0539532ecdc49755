// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/hardware/fabric.h"
#include "engine/plan/work.h"

namespace shardscope::inline planner {

// How many events the works will make on all devices; of collectives whose ranks differ, calls of kernels and
// ways round broken links, fewer; of an all-to-all on a line, whose first rank has the longest ways, a third
// more; of a permute, for a guess, one a device.
int64_t expected_events(const WorkPlan& plan, const Fabric& fabric);

}  // namespace shardscope::inline planner
