// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/session/atlas/atlas.h"
#include "engine/session/atlas/program_costs.h"

namespace shardscope::inline session {

// What the two partitioners make of a product whose arrays lie so.
struct PartitionerWays {
  AtlasWay xla, shardy;
};
// Errors: as partition and schedule.
Result<PartitionerWays> partitioner_ways(const AtlasQuestion& question, const AxisSplit& lhs,
                                         const AxisSplit& rhs, const AxisSplit& result, ProgramCosts& costs,
                                         const std::stop_token& stop);

}  // namespace shardscope::inline session
