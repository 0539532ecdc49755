// SPDX-License-Identifier: Apache-2.0
// What a list of runs shows, in one table of columns: the window's table, `shardscope runs`, its JSON and the
// filter read it. A new column is a row.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/report/ranking.h"

namespace shardscope::inline report {

enum class ColumnKind { text, count, seconds, bytes, fraction, ratio, number };

struct ListedRun {
  const RunSummary& run;
  const Rank& rank;
};

struct RunColumn {
  const char* id;  // in filters, JSON and settings
  const char* header;
  const char* about;  // one sentence
  ColumnKind quantity;
  std::string (*text)(const ListedRun&);              // "–" where there is nothing
  std::optional<double> (*number)(const ListedRun&);  // null of texts; in seconds, bytes or as it is
  bool at_first = true;                               // in a table that nobody has set up
  bool right() const { return quantity != ColumnKind::text; }
};
std::span<const RunColumn> run_columns();
// By its id, or what only one id begins with ("tag"). Error: none or several, with their names.
Result<size_t> find_run_column(std::string_view name);

// "f32[1024,3072] × [3072,12288]", or a module's name.
std::string problem_words(const RunSummary& run);

// How a list is put in order. Runs without a value in the column come last, whichever way it is sorted.
struct RunOrder {
  size_t column = 0;
  bool descending = false;
  std::optional<size_t> group_by{};  // a column whose texts make the groups; none: all are one
  bool operator==(const RunOrder&) const = default;
};
struct RunGroup {
  std::string key;             // the text; empty without grouping
  std::vector<size_t> rows;    // places of its runs, in order
  std::optional<size_t> best;  // the fastest ranked one
};
// Those of `shown` in groups; groups are in the order of their first runs. `ranks` by place.
std::vector<RunGroup> ordered(std::span<const RunSummary> runs, const std::vector<Rank>& ranks,
                              const std::set<size_t>& shown, const RunOrder& order);
std::vector<Rank> ranks_by_place(std::span<const RunSummary> runs);

std::string runs_text(std::span<const RunSummary> runs, const std::set<size_t>& shown, const RunOrder& order);
// {runs:[{id,strategy,…}]}: a member a column, numbers in seconds and bytes, null where there is nothing.
std::string runs_json(std::span<const RunSummary> runs, const std::set<size_t>& shown, const RunOrder& order);

}  // namespace shardscope::inline report
