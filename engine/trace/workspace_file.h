// SPDX-License-Identifier: Apache-2.0
// Opening workspace files: ours or not, which version, what an earlier process left.
#pragma once

#include <string>

#include "engine/trace/sql/database.h"

namespace shardscope {

inline constexpr int64_t kApplicationId = 0x53485244;  // "SHRD"
// Names of workspaces in this process's memory begin so; nobody else's file does.
inline constexpr const char* kMemoryName = "file:/shardscope-";
int64_t newest_version();  // number of migrations

// The read-write connection: makes the file when it is not there, brings an older one up to date, removes
// runs whose writer is gone. `path` is a file's, or kMemoryName and what follows it.
Result<Database> open_writer(const std::string& path);
// A connection that cannot write.
Result<Database> open_reader(const std::string& path);

// Names this process so that no later one is taken for it: boot id, process id, start time.
std::string this_writer();
bool writer_is_alive(const std::string& writer);

}  // namespace shardscope
