// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// What is said of each column, by its name, by its table's. A generated column is hidden: reading it would
// compute what the file says.
using TableColumns = std::map<std::string, std::map<std::string, std::string>>;

Result<TableColumns> columns_of(const Database& db);
// Whether `db` has each table of `wanted` with the same columns. It may have more tables, views and indexes
// beside. Errors (io) name the table and the column.
Result<void> check_schema(const Database& db, const TableColumns& wanted);

}  // namespace shardscope::inline trace
