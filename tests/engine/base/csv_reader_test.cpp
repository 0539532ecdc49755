// SPDX-License-Identifier: Apache-2.0
#include "engine/base/csv_reader.h"

#include <gtest/gtest.h>

namespace shardscope::csv_reader_test {
namespace {

using Cells = std::vector<std::string>;

std::string error_of(std::string_view text) {
  const auto rows = parse_csv(text, "f.csv");
  return rows.ok() ? "" : rows.error().text();
}

TEST(CsvReader, quotes_hold_commas_quotes_and_line_ends) {
  const auto rows = parse_csv("a,\"b,\"\"c\"\"\nd\",\r\n\n,e", "f.csv");
  ASSERT_TRUE(rows.ok()) << rows.error().text();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].cells, (Cells{"a", "b,\"c\"\nd", ""}));
  EXPECT_EQ((*rows)[0].columns, (std::vector<int>{1, 3, 4}));
  EXPECT_EQ((*rows)[1].cells, (Cells{"", "e"}));
  EXPECT_EQ((*rows)[1].line, 4) << "the cell of two lines and the empty line count";
}

TEST(CsvReader, passes_over_a_byte_order_mark) {
  EXPECT_EQ((*parse_csv("\xEF\xBB\xBFid,op\n", "f.csv"))[0].cells, (Cells{"id", "op"}));
}

TEST(CsvReader, an_empty_file_has_no_rows) {
  EXPECT_TRUE(parse_csv("", "f.csv")->empty());
  EXPECT_TRUE(parse_csv("\n\r\n\n", "f.csv")->empty());
}

TEST(CsvReader, says_where_a_quote_is_wrong) {
  EXPECT_EQ(error_of("a\nb,\"c\nd"), "a quote that is never closed; f.csv:2:3");
  EXPECT_EQ(error_of("a,\"b\"c"), "expected a comma behind the closing quote, got 'c'; f.csv:1:6");
}

TEST(CsvReader, has_limits) {
  EXPECT_EQ(error_of(std::string(kMostCsvCell + 1, 'x')), "a cell of more than 1000000 bytes; f.csv:1:1");
  EXPECT_EQ(error_of(std::string(kMostCsvCells, ',')), "more than 1000 cells in a line; f.csv:1:1001");
  std::string lines;
  for (size_t i = 0; i <= kMostCsvRows; ++i) lines += "a\n";
  EXPECT_EQ(error_of(lines), "more than 1000000 rows; f.csv:1000002:1");
}

}  // namespace
}  // namespace shardscope::csv_reader_test
