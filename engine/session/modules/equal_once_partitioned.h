// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// Whether two modules that nobody partitioned yet become the same program for each device, names, metadata
// and frontend attributes aside. False where one cannot be partitioned, or is too big to try. Error:
// cancelled.
Result<bool> equal_once_partitioned(const Program& before, const Program& after,
                                    const std::stop_token& stop = {});

}  // namespace shardscope::inline session
