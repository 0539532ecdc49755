// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/backend/pass.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline session {

// What instructions take on the chip, each alone, as the simulator has it: work by its cost, a collective by
// its fastest algorithm, a loop all of its rounds (one where they are not known). What has no time there (an
// unknown custom-call, a number that is not published) takes none.
StageClock stage_clock(const Hardware& hardware, std::stop_token stop);

}  // namespace shardscope::inline session
