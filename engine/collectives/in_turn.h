// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// One schedule after the other on the same chunks: an all-reduce as reduce-scatter then all-gather (or reduce
// then broadcast). What the first leaves on a rank is what the second sends from it.
std::shared_ptr<const CollectiveSchedule> all_reduce_in_turn(
    std::shared_ptr<const CollectiveSchedule> first, std::shared_ptr<const CollectiveSchedule> second);

}  // namespace shardscope::inline collectives
