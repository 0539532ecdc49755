// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope {

struct CsvRow {
  int line = 0;  // where it begins
  std::vector<std::string> cells;
  std::vector<int> columns;  // where each cell begins in its line, from 1
};

// The lines of a CSV file (RFC 4180): a cell in quotes holds commas, line ends and doubled quotes. Empty
// lines are none. Errors with file:line:column: a quote that never closes, text behind a closing quote, more
// than kMostCsvRows rows, kMostCsvCells cells in one or kMostCsvCell bytes in a cell.
inline constexpr size_t kMostCsvRows = 1'000'000, kMostCsvCells = 1'000, kMostCsvCell = 1'000'000;
Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view file_name);

}  // namespace shardscope
