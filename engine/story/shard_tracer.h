// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/story/trace_rules.h"

namespace shardscope::inline story {

// Follows the pieces of X, W and Y through the entry of a program, one instruction on all devices after the
// other. The state refers to the program.
Result<TraceState> trace_shards(const Program& program, const std::stop_token& stop = {});

}  // namespace shardscope::inline story
