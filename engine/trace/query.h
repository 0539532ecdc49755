// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/trace/sql/database.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline trace {

// Runs a user's SELECT on a reading connection: one statement that writes nothing, attaches nothing and ends
// within its limits. What SQLite says about bad SQL is the error (invalid).
Result<QueryResult> run_query(const Database& db, const std::string& sql, const QueryLimits& limits);

}  // namespace shardscope::inline trace
