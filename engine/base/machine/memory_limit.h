// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace shardscope {

// Bytes that this process can still have: what the machine has (MemAvailable, else the free pages), within
// the limits of its control groups and its own (ulimit -v, -d).
int64_t available_memory();

// A too_big error when `bytes` and a tenth to spare are not there. `what` wants them; `fix` says what would
// fit, `where` is a file or a module.
Result<void> require_memory(double bytes, const std::string& what, const std::string& fix,
                            const std::string& where = "");

}  // namespace shardscope
