// SPDX-License-Identifier: Apache-2.0
// What the tables of a workspace are, in words: the SQL view's tree, its completion and its axis titles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/workspace.h"

namespace shardscope::inline trace {

struct ColumnWords {
  std::string name, type;
  std::string unit;     // "s", "ps", "B", "flop", "%"; empty: a number of things, or a text
  std::string meaning;  // one line
};
struct TableWords {
  std::string name, meaning;
  bool view = false;  // made for questions; the others are how the record stores it
  std::vector<ColumnWords> columns;
};
// The tables and views of an open workspace, views first.
Result<std::vector<TableWords>> schema_of(const Workspace& workspace);

// The unit of a column of a query's answer, by its name: "s" of total_s.
std::string unit_of_column(std::string_view name);
const std::vector<std::string>& sql_keywords();

// Questions that come with the program, each one that somebody has. `x` and `y`: how its answer is drawn.
struct ShippedQuery {
  const char *title, *sql;
  const char *x = "", *y = "";
};
const std::vector<ShippedQuery>& shipped_queries();

}  // namespace shardscope::inline trace
