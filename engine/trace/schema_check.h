// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/trace/sql/database.h"

namespace shardscope {

// Whether `db` has each table of `expected` with the same columns. It may have more tables, views and indexes
// beside. Errors (io) name the table and the column.
Result<void> check_schema(const Database& db, const Database& expected);

}  // namespace shardscope
