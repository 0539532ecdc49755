// SPDX-License-Identifier: Apache-2.0
// Files whose pages are sound and whose numbers are not.
#include <filesystem>
#include <sqlite3.h>

#include "engine/trace/workspace.h"
#include "tests/engine/run/made_timeline.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::damaged_test {
namespace {

class Damaged : public testing::Test {
 protected:
  // A shared timeline, memory and buffers: everything that a number can damage.
  void SetUp() override {
    auto workspace = Workspace::open(folder_.file("sound.db")).value();
    ASSERT_TRUE(workspace->record(sample_run("wang.os", "row=2,col=4")).ok());
    ASSERT_TRUE(workspace->wait().ok());
  }
  // A copy of the sound file after `sql`.
  std::shared_ptr<Workspace> after(const std::string& sql) {
    const std::string path = folder_.file("damaged.db");
    std::filesystem::copy_file(folder_.file("sound.db"), path,
                               std::filesystem::copy_options::overwrite_existing);
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    EXPECT_GT(sqlite3_total_changes(db), 0) << sql << " damages something";
    sqlite3_close(db);
    return Workspace::open(path, true).value();
  }
  // How opening a copy of the sound file after `sql` is refused, to read and to write.
  std::string refusal(const std::string& sql) {
    const std::string path = folder_.file("schema.db");
    std::filesystem::copy_file(folder_.file("sound.db"), path,
                               std::filesystem::copy_options::overwrite_existing);
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
    const auto reading = Workspace::open(path, true);
    const auto writing = Workspace::open(path);
    EXPECT_EQ(reading.ok(), writing.ok()) << sql;
    if (reading.ok()) return "";
    EXPECT_EQ(reading.error().kind, ErrorKind::io);
    return reading.error().what;
  }
  TemporaryFolder folder_;
};

TEST_F(Damaged, NumbersAreRefusedBeforeAnythingIsMadeOfThem) {
  for (const char* sql : {
           "UPDATE run SET events_kept = 2147483647",
           "UPDATE run SET events_kept = -1",
           "UPDATE run SET events_kept = 2147483647; UPDATE lane SET event_count = 2147483647",
           "UPDATE lane SET event_count = 9223372036854775807",
           "UPDATE lane SET first_event = -9223372036854775807 WHERE lane = 0",
           "UPDATE lane SET first_event = first_event + 1",
           "UPDATE lane SET lane = 99 WHERE lane = 0",
           "UPDATE run SET devices = 2147483647",
           "UPDATE run SET devices = -1",
           "UPDATE run SET devices = 7",
           "UPDATE run SET memory_kept = 2147483647",
           "UPDATE run SET memory_kept = 0",
           "UPDATE device_timeline SET device = 2147483647 WHERE device = 7",
           "UPDATE device_timeline SET timeline = 12345",
           "DELETE FROM device_timeline WHERE device = 3",
           "DELETE FROM device_total WHERE device = 3",
           "DELETE FROM event WHERE id = (SELECT max(id) FROM event)",
           "DELETE FROM permutation",
           "UPDATE permutation SET modulus = 9223372036854775807, value = 9223372036854775806",
           "UPDATE permutation SET modulus = 0",
           "UPDATE critical_event SET number = 2147483647",
           "UPDATE buffer SET place = 2147483647, place_permutation = NULL",
           "UPDATE buffer SET instruction = 1000000",
           "UPDATE buffer SET instruction = -1",
           "UPDATE run SET lanes = '[{'",
           "UPDATE run SET program = 'HloModule'",
       }) {
    const auto workspace = after(sql);
    const auto loaded = workspace->load(1);
    EXPECT_FALSE(loaded.ok()) << sql;
    const auto trace = workspace->trace(1);  // may well open; whatever it answers, it does not crash
    if (!trace.ok()) continue;
    for (const int32_t number : {0, 1, 50, 2147483647}) (void)(*trace)->event(number).ok();
    for (int device = 0; device < 8; ++device)
      for (int lane = 0; lane < 3; ++lane) {
        (void)(*trace)->events(DeviceId(device), lane, {0, (*trace)->total()}).ok();
        (void)(*trace)->bins(DeviceId(device), lane, {0, (*trace)->total()}, 10).ok();
      }
  }
}

// A run's picture and its loading are of blocks; one event that is asked for is a row.
TEST_F(Damaged, RowsOfEventsAreRefused) {
  for (const char* sql : {
           "UPDATE event SET number = 2147483647",
           "UPDATE event SET number = 0, number_permutation = NULL",
           "UPDATE event SET instruction = 1000000",
           "UPDATE event SET start = -5",
           "UPDATE event SET end = start - 1",
           "UPDATE event SET kind = 3",
           "UPDATE event SET peer = 4000, peer_permutation = NULL",
           "UPDATE event SET cause = 2000000000, cause_permutation = NULL",
       }) {
    const auto workspace = after(sql);
    const auto trace = workspace->trace(1).value();
    int refused = 0;
    for (int32_t number = 0; number < trace->events_kept(); ++number)
      refused += trace->event(number).ok() ? 0 : 1;
    EXPECT_GT(refused, 0) << sql;
  }
}

TEST_F(Damaged, TablesAreRefusedByName) {
  EXPECT_NE(
      refusal("ALTER TABLE run RENAME COLUMN overlap TO overlpa").find("table run has no column overlap"),
      std::string::npos);
  EXPECT_NE(refusal("ALTER TABLE event ADD COLUMN more INTEGER").find("column more"), std::string::npos);
  EXPECT_NE(refusal("ALTER TABLE step ADD COLUMN more INTEGER AS (run * 2)").find("column more"),
            std::string::npos);
  EXPECT_NE(refusal("DROP TABLE buffer").find("no table buffer"), std::string::npos);
  EXPECT_NE(refusal("DROP TABLE buffer; CREATE VIEW buffer AS SELECT * FROM step").find("no table buffer"),
            std::string::npos);
  EXPECT_NE(refusal("DROP TABLE lane; CREATE TABLE lane (run INTEGER, timeline TEXT)").find("table lane"),
            std::string::npos);
  EXPECT_EQ(refusal("CREATE TABLE theirs (x); CREATE VIEW more AS SELECT 1"), "");
}

TEST_F(Damaged, TriggersOfOthersNeverRun) {
  const std::string path = folder_.file("triggers.db");
  std::filesystem::copy_file(folder_.file("sound.db"), path);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db,
                         "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM event; END;"
                         "CREATE TRIGGER u AFTER UPDATE ON setting BEGIN SELECT raise(ABORT, 'no'); END;",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  auto workspace = Workspace::open(path).value();
  ASSERT_TRUE(workspace->record(sample_run("psum", "row=2,col=2")).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_TRUE(workspace->load(1).ok());
  EXPECT_TRUE(workspace->load(2).ok());
}

TEST_F(Damaged, ViewsOfOthersAreRefused) {
  const auto workspace = after(
      "UPDATE setting SET value = value; CREATE VIEW theirs AS SELECT title AS t FROM run;"
      "CREATE VIEW again AS SELECT * FROM theirs");
  for (const char* sql : {"SELECT * FROM theirs", "SELECT count(*) FROM theirs",
                          "SELECT count(*) FROM THEIRS", "SELECT t FROM again"}) {
    const auto answer = workspace->query(sql, 1);
    ASSERT_FALSE(answer.ok()) << sql;
    EXPECT_NE(answer.error().what.find("somebody else"), std::string::npos) << answer.error().text();
  }
  EXPECT_TRUE(workspace->query("SELECT strategy FROM run_summary", 1).ok());
  EXPECT_TRUE(workspace->query("SELECT count(*) FROM device_event WHERE run = 1", 1).ok());
  EXPECT_TRUE(workspace->query("WITH mine AS (SELECT * FROM run) SELECT title FROM mine", 1).ok());
}

TEST_F(Damaged, AViewOfOursWithOtherWordsIsTheirs) {
  const auto workspace = after(
      "UPDATE setting SET value = value; DROP VIEW run_summary; CREATE VIEW run_summary AS SELECT * FROM "
      "run");
  EXPECT_FALSE(workspace->query("SELECT * FROM run_summary", 1).ok());
}

TEST_F(Damaged, TheTextOfATableIsNotASecondStatement) {
  const std::string path = folder_.file("texts.db"), other = folder_.file("other.db");
  std::filesystem::copy_file(folder_.file("sound.db"), path);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  const std::string more = "; ATTACH ''" + other + "'' AS e; CREATE TABLE e.made(x)";
  ASSERT_EQ(sqlite3_exec(db,
                         ("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = sql || '" + more +
                          "' WHERE name = 'event'")
                             .c_str(),
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  if (auto workspace = Workspace::open(path); workspace.ok()) {
    (void)(*workspace)->record(sample_run("psum", "row=2,col=2"));
    (void)(*workspace)->wait();
  }
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(Damaged, RowsOfLanesThatCannotBeEndARecordNotTheProgram) {
  for (const char* sql : {"UPDATE lane SET first_event = -5, event_count = 2",
                          "UPDATE lane SET first_event = 9223372036854775000, event_count = 2"}) {
    const std::string path = folder_.file("lanes.db");
    std::filesystem::copy_file(folder_.file("sound.db"), path,
                               std::filesystem::copy_options::overwrite_existing);
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
    auto workspace = Workspace::open(path).value();
    const bool recorded = workspace->record(sample_run("psum", "row=2,col=2")).ok() && workspace->wait().ok();
    EXPECT_FALSE(recorded) << sql;
  }
}

TEST_F(Damaged, RunsDoNotHideSoundOnes) {
  {
    auto workspace = Workspace::open(folder_.file("sound.db")).value();
    ASSERT_TRUE(workspace->record(sample_run("psum", "row=2,col=2")).ok());
    ASSERT_TRUE(workspace->wait().ok());
  }
  const auto workspace = after("UPDATE run SET events_kept = 2147483647, devices = -3 WHERE id = 1");
  EXPECT_EQ(workspace->runs().value().size(), 2u);
  EXPECT_FALSE(workspace->load(1).ok());
  EXPECT_TRUE(workspace->load(2).ok());
}

TEST_F(Damaged, WriterOfAFinishedRunDoesNotMakeOpeningRemoveIt) {
  after("UPDATE run SET writer = 'gone:1:1'");
  for (const char* status : {"done", "failed", "cancelled"}) {
    after(std::string("UPDATE run SET writer = 'gone:1:1', status = '") + status + "'");
    const auto workspace = Workspace::open(folder_.file("damaged.db")).value();
    const auto rows = workspace->runs().value();
    ASSERT_EQ(rows.size(), 1u) << status;
    EXPECT_EQ(rows[0].status, status);
    EXPECT_TRUE(workspace->load(1).ok());
  }
  after("UPDATE run SET writer = 'gone:1:1', status = 'recording'");
  EXPECT_TRUE(Workspace::open(folder_.file("damaged.db")).value()->runs().value().empty());
}

}  // namespace
}  // namespace shardscope::damaged_test
