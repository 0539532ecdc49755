// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query.h"

#include "engine/trace/workspace.h"
#include "engine/trace/workspace_file.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::query_test {
namespace {

class Query : public testing::Test {
 protected:
  void SetUp() override {
    workspace_ = Workspace::open(folder_.file("a.db")).value();
    ASSERT_TRUE(workspace_->record(sample_run("psum", "row=2,col=2")).ok());
    ASSERT_TRUE(workspace_->wait().ok());
  }
  std::string refusal(const std::string& sql) {
    const auto result = workspace_->query(sql, 10);
    if (result.ok()) return "";
    EXPECT_EQ(result.error().kind, ErrorKind::invalid) << sql;
    return result.error().text();
  }
  TemporaryFolder folder_;
  std::shared_ptr<Workspace> workspace_;
};

TEST_F(Query, AnswersWithATable) {
  const QueryResult result =
      workspace_->query("SELECT strategy, m, k, n, NULL AS missing, 0.5 AS half FROM run_summary;", 10)
          .value();
  EXPECT_EQ(result.columns, (std::vector<std::string>{"strategy", "m", "k", "n", "missing", "half"}));
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.rows[0], (std::vector<std::string>{"psum", "512", "1024", "2048", "", "0.5"}));
  EXPECT_FALSE(result.truncated);
}

TEST_F(Query, SaysWhenThereIsMoreThanWasAskedFor) {
  const std::string numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT i FROM n";
  EXPECT_TRUE(workspace_->query(numbers, 10).value().truncated);
  EXPECT_EQ(workspace_->query(numbers, 10).value().rows.size(), 10u);
  EXPECT_FALSE(workspace_->query(numbers, 100).value().truncated);
}

TEST_F(Query, RefusesEverythingButOneSelect) {
  for (const char* sql :
       {"DELETE FROM run", "INSERT INTO setting VALUES ('a', 'b')", "UPDATE run SET title = 'x'",
        "DROP TABLE event", "CREATE TABLE t (x)", "ATTACH 'other.db' AS other", "PRAGMA user_version = 5",
        "PRAGMA query_only = 0", "PRAGMA journal_mode = DELETE", "VACUUM", "BEGIN", "REINDEX",
        "CREATE TEMP TABLE t (x)", "WITH x AS (SELECT 1) DELETE FROM run"})
    EXPECT_NE(refusal(sql), "") << sql;
  EXPECT_NE(refusal("SELECT 1; DELETE FROM run").find("more than one statement"), std::string::npos);
  EXPECT_NE(refusal("  ").find("empty"), std::string::npos);
  EXPECT_EQ(workspace_->runs().value().size(), 1u);
}

TEST_F(Query, PassesOnWhatSqliteSays) {
  EXPECT_NE(refusal("SELEC 1").find("near \"SELEC\": syntax error"), std::string::npos);
  EXPECT_NE(refusal("SELECT nonsense FROM run").find("no such column: nonsense"), std::string::npos);
  EXPECT_NE(refusal("SELECT * FROM nowhere").find("no such table: nowhere"), std::string::npos);
}

TEST_F(Query, EndsWhatWouldRunForEver) {
  const Database db = open_reader(folder_.file("a.db")).value();
  const auto endless =
      run_query(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n",
                {.rows = 10, .seconds = 0.05});
  ASSERT_FALSE(endless.ok());
  EXPECT_EQ(endless.error().kind, ErrorKind::invalid);
  EXPECT_NE(endless.error().text().find("too long"), std::string::npos);
}

// What one operation makes or searches is bounded, and the clock is looked at between few of them.
TEST_F(Query, EndsWhatTakesLongInsideOneFunction) {
  const Database db = open_reader(folder_.file("a.db")).value();
  for (const char* sql : {"SELECT randomblob(60000000)",
                          "SELECT sum(length(randomblob(16000000 + a.id))) FROM event a, event b",
                          "SELECT replace(hex(zeroblob(4000000)), '0', hex(zeroblob(4000000)))"})
    EXPECT_FALSE(run_query(db, sql, {.rows = 10, .seconds = 0.1}).ok()) << sql;
  // SQLite's own would take a quarter of an hour.
  const auto found =
      run_query(db, "SELECT instr(zeroblob(8000000), CAST(zeroblob(4000000) || x'01' AS BLOB))", {});
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->rows[0][0], "0");
  const auto trimmed =
      run_query(db, "SELECT length(trim(printf('%.8000000c', '1'), hex(zeroblob(4000000)) || '1'))", {});
  ASSERT_TRUE(trimmed.ok()) << trimmed.error().text();
  EXPECT_EQ(trimmed->rows[0][0], "0");
}

TEST_F(Query, KeepsItsAnswerWithinItsBytes) {
  const std::string blobs =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT zeroblob(1000000) "
      "FROM n";
  const auto answer = workspace_->query(blobs, QueryLimits{.rows = 1000, .bytes = 10'500'000}).value();
  EXPECT_TRUE(answer.truncated);
  EXPECT_EQ(answer.rows.size(), 10u);
}

TEST_F(Query, RefusesAnAnswerThatNeedsTooMuchMemoryOnTheWay) {
  const auto sorted = workspace_->query(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
      " SELECT length(b) FROM (SELECT zeroblob(1000000 + i % 7) || 'x' AS b FROM n ORDER BY b) LIMIT 3",
      QueryLimits{.rows = 10, .seconds = 60});
  ASSERT_FALSE(sorted.ok());
  EXPECT_EQ(sorted.error().kind, ErrorKind::too_big) << sorted.error().text();
}

TEST_F(Query, FindsReplacesAndTrimsAsSqliteDoes) {
  const Database plain = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  for (const char* sql : {"instr('abc', 'c')",
                          "instr('abc', '')",
                          "instr('', 'a')",
                          "instr('äöü', 'ü')",
                          "instr(x'00ff00', x'ff')",
                          "instr(NULL, 'a')",
                          "instr('a', NULL)",
                          "instr(12345, 34)",
                          "instr('a' || x'62', x'62')",
                          "replace('abcabc', 'b', 'xx')",
                          "replace('abc', '', 'x')",
                          "replace('abc', 'abc', '')",
                          "replace(NULL, 'a', 'b')",
                          "replace('abc', NULL, 'b')",
                          "replace(1213, 1, 'y')",
                          "replace('aaa', 'aa', 'b')",
                          "typeof(replace(12, 3, 4))",
                          "typeof(replace('', 'a', 'b'))",
                          "trim('xxaxbyx', 'xy')",
                          "ltrim('xxaxbyx', 'xy')",
                          "rtrim('xxaxbyx', 'xy')",
                          "trim('äöüä', 'ä')",
                          "trim('aäa', 'öa')",
                          "rtrim('üä', 'ä')",
                          "trim('abc', '')",
                          "trim('', 'a')",
                          "trim(NULL, 'a')",
                          "trim('a', NULL)",
                          "trim(1213, 1)",
                          "trim('aaa', 'a')",
                          "trim(x'80c3a4' || 'a', 'ä')",
                          "rtrim('a' || x'8080', x'80')",
                          "trim('  a ')"}) {
    const std::string query = std::string("SELECT quote(") + sql + ")";
    Statement row = plain.prepare(query).value();
    ASSERT_TRUE(row.step().value());
    EXPECT_EQ(workspace_->query(query, 1).value().rows[0][0], row.text(0)) << sql;
  }
}

}  // namespace
}  // namespace shardscope::query_test
