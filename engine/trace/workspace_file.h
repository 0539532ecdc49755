// SPDX-License-Identifier: Apache-2.0
// Opening workspace files: ours or not, of this format or not, what an earlier process left.
#pragma once

#include <set>
#include <string>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

inline constexpr int64_t kApplicationId = 0x53534357;  // "SSCW"
inline constexpr int64_t kFormatVersion = 1;
// Names of workspaces in this process's memory begin so; nobody else's file does.
inline constexpr const char* kMemoryName = "file:/shardscope-";

// The read-write connection: makes the file when it is not there, removes runs whose writer is gone. `path`
// is a file's, or kMemoryName and what follows it.
Result<Database> open_writer(const std::string& path);
// A connection that cannot write.
Result<Database> open_reader(const std::string& path);
// Whether the file has the tables and columns of a workspace; once when a workspace is opened.
Result<void> check_schema_of(const Database& db);
// For a question about views: they may be read then.
void let_views_be_read(const Database& db);
// Names of the views in a file that no workspace has.
Result<std::set<std::string>> views_of_others(const Database& db);

// Names this process so that no later one is taken for it: boot id, process id, start time.
std::string this_writer();
bool writer_is_alive(const std::string& writer);

}  // namespace shardscope::inline trace
