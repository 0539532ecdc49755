// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/measure/import/module_index.h"
#include "engine/measure/import/profile.h"

namespace shardscope::inline measure {

// Gives kernels that the profile does not name back to the instructions of their modules: those of command
// buffers and CUDA graphs, and those of profiles that know kernels alone. `events` are by start.
Result<void> attribute_kernels(Modules& modules, std::vector<ProfiledOperation>& operations,
                               std::vector<MeasuredEvent>& events, const std::stop_token& stop);

// Of the kernels of one instruction all but the one that takes the most time go with that one.
void mark_parts(std::vector<ProfiledOperation>& operations, const std::vector<MeasuredEvent>& events);

}  // namespace shardscope::inline measure
