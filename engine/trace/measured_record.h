// SPDX-License-Identifier: Apache-2.0
// Profiles of real runs in a workspace: tables measured_*.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/measured.h"

namespace shardscope::inline trace {

// Puts a trace into the workspace at `path` in one transaction, made when it is not there, and returns its
// number. Stopped or failed, it leaves nothing. Errors: as Workspace::open; cancelled.
Result<int64_t> record_measured(const std::string& path, const MeasuredTrace& trace,
                                const std::stop_token& stop = {});

// The recorded one, with its number and when it was recorded. Errors: no such trace, with those that are
// there; rows that cannot be one.
Result<MeasuredTrace> load_measured(const std::string& path, int64_t id);
// By number.
Result<std::vector<MeasuredSummary>> list_measured(const std::string& path);

}  // namespace shardscope::inline trace
