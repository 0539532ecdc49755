// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "engine/backend/pass.h"
#include "engine/backend/xla_flags.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline backend {

// Who put the program in its order.
struct ScheduledBy {
  bool latency_hiding = false;
  bool can_be_asked = true;  // whether a flag turns that on
  int64_t in_flight = 1;
};

// Of each collective that runs as a part of the program what is done while it is under way, or in one
// sentence why nothing is. `times` as of StageClock; empty: nobody knows them. Errors: stopped.
Result<std::vector<CollectiveOverlap>> collective_overlaps(const Program& program, const Hardware& hardware,
                                                           const std::vector<Picoseconds>& times,
                                                           const ScheduledBy& by,
                                                           const std::stop_token& stop);

}  // namespace shardscope::inline backend
