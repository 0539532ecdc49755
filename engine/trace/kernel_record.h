// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/run/kernel/kernel_run.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::inline trace {

// Puts a kernel's run and its findings into the workspace at `path` (tables kernel_run and kernel_finding),
// in one transaction; makes the file when it is not there. Returns the run's number. Errors: as
// Workspace::open.
Result<int64_t> record_kernel_run(const std::string& path, const KernelRun& run,
                                  const std::optional<KernelTime>& time, uint64_t seed);

}  // namespace shardscope::inline trace
