// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline measure {

// The newest profile in a folder that a profiler wrote into, or in the folders in it: of JAX the xplane.pb of
// all hosts of a run, else the newest trace of PyTorch, else the newest trace.json.gz. nullopt: `path` is no
// folder. Errors, io: the folder cannot be read, holds no profile, or holds too much to search.
Result<std::optional<std::vector<std::string>>> newest_profile(const std::string& path,
                                                               const std::stop_token& stop);

}  // namespace shardscope::inline measure
