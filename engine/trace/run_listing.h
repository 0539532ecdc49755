// SPDX-License-Identifier: Apache-2.0
// The rows of `run` as a list: what tables show of them, what their user says of them, and hiding.
#pragma once

#include <string>
#include <vector>

#include "engine/run/run_summary.h"
#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

Result<std::vector<RunSummary>> list_runs(const Database& db);  // finished ones that are not hidden, by id

Result<void> set_label(const Database& db, int64_t id, const RunLabel& label);

// A hidden run's status is "hidden " before its own; `writer` says who hid it, and is empty when it may go.
std::string status_of(const std::string& stored);
Result<void> hide_run(const Database& db, int64_t id);  // nothing where it is still being written
Result<void> show_run(const Database& db, int64_t id);
Result<void> forget_hidden(const Database& db);     // those that this process hides may go
Result<void> show_left(const Database& db);         // those of processes that have ended come back
Result<void> remove_forgotten(const Database& db);  // those that may go, go

}  // namespace shardscope::inline trace
