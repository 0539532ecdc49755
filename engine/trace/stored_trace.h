// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/run/trace_source.h"
#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// Reads a finished run from `db`, a window at a resolution at a time; the connection is the trace's own.
Result<std::unique_ptr<TraceSource>> stored_trace(Database db, int64_t run);

}  // namespace shardscope::inline trace
