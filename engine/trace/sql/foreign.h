// SPDX-License-Identifier: Apache-2.0
// SQLite files of other programs.
#pragma once

#include <string>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// Opens it so that nothing can be written and no function of its own runs. Errors: io.
Result<Database> open_foreign(const std::string& path);
// Tables and columns exist in such a file only when they were used, or in a version that has them.
Result<bool> has_column(const Database& db, const std::string& table, const std::string& column);

}  // namespace shardscope::inline trace
