// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// The module on so many devices, where it does not say how many there are or its shardings are on some of
// them only: what a sharding leaves out holds copies. None: it is on all of them as it is. Appends to `notes`
// which shardings were widened, a sentence each.
std::optional<Program> on_all_devices(const Program& module, int64_t devices,
                                      std::vector<std::string>& notes);

}  // namespace shardscope::inline partitioner
