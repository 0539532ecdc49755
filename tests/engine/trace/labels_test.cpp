// SPDX-License-Identifier: Apache-2.0
// What a user says of runs, and runs that are hidden.
#include <sqlite3.h>

#include "engine/trace/workspace.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::labels_test {
namespace {

void execute(const std::string& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_close(db);
}

std::vector<int64_t> ids(const Workspace& workspace) {
  std::vector<int64_t> out;
  const std::vector<RunSummary> rows = workspace.runs().value();
  for (const RunSummary& row : rows) out.push_back(row.id);
  return out;
}

const RunLabel kLabel{"baseline", {"paper", "slow"}, "kept: \"for\" the talk", "other.shardscope, run 3"};

class Labels : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    for (const char* strategy : {"wang.os", "cannon.os", "psum"})
      ASSERT_TRUE(workspace->record(sample_run(strategy, "row=2,col=2")).ok());
    ASSERT_TRUE(workspace->wait().ok());
  }
  void open() {
    workspace.reset();
    workspace = Workspace::open(file).value();
  }
  TemporaryFolder folder;
  std::string file = folder.file("a.shardscope");
  std::shared_ptr<Workspace> workspace;
};

TEST_F(Labels, StayInTheFileAndAreInListRunAndSql) {
  ASSERT_TRUE(workspace->label(2, kLabel).ok());
  ASSERT_TRUE(workspace->wait().ok());
  open();
  EXPECT_EQ(workspace->runs().value()[1].given, kLabel);
  EXPECT_EQ(workspace->runs().value()[0].given, RunLabel());
  EXPECT_EQ(workspace->load(2).value()->given, kLabel);
  const auto rows = workspace->query("SELECT name, tags, note FROM run_summary WHERE run = 2", 2).value();
  EXPECT_EQ(rows.rows[0], (std::vector<std::string>{"baseline", "paper, slow", kLabel.note}));
}

TEST_F(Labels, ARunIsRecordedWithItsLabel) {
  auto run = sample_run("fox", "row=2,col=2");
  run->given = kLabel;
  const int64_t id = workspace->record(run).value();
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(workspace->load(id).value()->given, kLabel);
  EXPECT_EQ(workspace->runs().value().back(), summary_of(*workspace->load(id).value()));
}

TEST_F(Labels, AHiddenRunIsInNoListAndComesBackWithEverything) {
  ASSERT_TRUE(workspace->label(2, kLabel).ok());
  ASSERT_TRUE(workspace->wait().ok());
  const RunPtr before = workspace->load(2).value();
  ASSERT_TRUE(workspace->hide(2).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(workspace->query("SELECT * FROM run_summary", 9).value().rows.size(), 2U);
  EXPECT_TRUE(workspace->query("SELECT * FROM device_event WHERE run = 2", 9).value().rows.empty());
  ASSERT_TRUE(workspace->show(2).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 2, 3}));
  const RunPtr after = workspace->load(2).value();
  expect_equal_runs(*before, *after);
  EXPECT_EQ(after->given, kLabel);
}

TEST_F(Labels, WhatAProcessHidAndDidNotForgetComesBackAfterIt) {
  ASSERT_TRUE(workspace->hide(2).ok());
  ASSERT_TRUE(workspace->wait().ok());
  open();
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 3})) << "this process is still there";
  workspace.reset();
  execute(file, "UPDATE run SET writer = 'another boot:1:1' WHERE id = 2");
  open();
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(Labels, WhatWasForgottenGoesWhenTheFileIsOpenedAgain) {
  ASSERT_TRUE(workspace->hide(2).ok());
  ASSERT_TRUE(workspace->forget_hidden().ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_TRUE(workspace->load(2).ok()) << "until then it can come back";
  open();
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 3}));
  EXPECT_FALSE(workspace->load(2).ok());
  EXPECT_EQ(workspace->query("SELECT count(*) FROM lane WHERE run = 2", 1).value().rows[0][0], "0");
}

TEST_F(Labels, ARunThatIsHiddenWhileItIsWrittenIsHiddenThen) {
  const int64_t id = workspace->record(sample_run("fox", "row=2,col=2")).value();
  ASSERT_TRUE(workspace->hide(id).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 2, 3}));
  ASSERT_TRUE(workspace->show(id).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(ids(*workspace), (std::vector<int64_t>{1, 2, 3, id}));
}

TEST_F(Labels, AQueryIsCancelledAndSaysWhereItIsWrong) {
  std::stop_source stop;
  stop.request_stop();
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  const auto stopped = workspace->query(endless, QueryLimits{.stop = stop.get_token()});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(workspace->query("SELECT run,\n  µ, strtegy FROM run_summary", 5).error().where, "query:2:3");
  EXPECT_EQ(workspace->query("SELECT strategy FRM run", 5).error().where, "query:1:21");
  EXPECT_EQ(workspace->query("SELECT id FROM run", QueryLimits{.rows = 2}).value().rows.size(), 2U);
}

}  // namespace
}  // namespace shardscope::labels_test
