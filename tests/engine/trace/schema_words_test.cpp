// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/schema_words.h"

#include <algorithm>

#include "tests/engine/trace/sample_run.h"

namespace shardscope::schema_words_test {
namespace {

TEST(SchemaWords, EveryTableAndColumnOfAWorkspaceIsSaidInWords) {
  const auto workspace = Workspace::in_memory().value();
  const auto schema = schema_of(*workspace).value();
  ASSERT_GT(schema.size(), 15U);
  EXPECT_TRUE(schema[0].view) << "views are for questions: they stand first";
  for (const TableWords& table : schema) {
    EXPECT_FALSE(table.meaning.empty()) << table.name;
    EXPECT_FALSE(table.columns.empty()) << table.name;
    for (const ColumnWords& column : table.columns) {
      EXPECT_FALSE(column.meaning.empty()) << table.name << "." << column.name;
      if (column.name.ends_with("_s")) {
        EXPECT_EQ(column.unit, "s") << table.name << "." << column.name;
      }
    }
  }
  EXPECT_EQ(unit_of_column("my_total_s"), "s");
  EXPECT_EQ(unit_of_column("bytes_sent_per_device"), "B");
  EXPECT_EQ(unit_of_column("strategy"), "");
}

TEST(SchemaWords, EveryShippedQueryIsAnsweredAndItsAxesAreInTheAnswer) {
  const auto workspace = Workspace::in_memory().value();
  ASSERT_TRUE(workspace->record(sample_run("wang.os", "row=2,col=4")).ok());
  ASSERT_TRUE(workspace->wait().ok());
  for (const ShippedQuery& query : shipped_queries()) {
    const auto answer = workspace->query(query.sql, 1000);
    ASSERT_TRUE(answer.ok()) << query.title << ": " << answer.error().text();
    if (std::string(query.title) != "Runs whose numbers differ") {
      EXPECT_FALSE(answer->rows.empty()) << query.title;
    }
    for (const std::string axis : {query.x, query.y}) {
      if (axis.empty()) continue;
      EXPECT_NE(std::ranges::find(answer->columns, axis), answer->columns.end())
          << query.title << ": " << axis;
    }
  }
}

}  // namespace
}  // namespace shardscope::schema_words_test
