// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/trace/sql/database.h"
#include "engine/trace/workspace.h"
#include "tests/engine/run/made_timeline.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::bad_files_test {
namespace {

void make_database(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

// Both ways of opening refuse `path`, exit 4, with `what`.
void expect_refused(const std::string& path, const std::string& what) {
  for (const bool read_only : {false, true}) {
    const auto workspace = Workspace::open(path, read_only);
    ASSERT_FALSE(workspace.ok()) << path;
    EXPECT_EQ(workspace.error().kind, ErrorKind::io);
    EXPECT_NE(workspace.error().text().find(what), std::string::npos) << workspace.error().text();
    EXPECT_NE(workspace.error().text().find(path), std::string::npos) << "the file is named";
  }
}

RunPtr big_run(int events) {
  auto run = sample_run("psum", "row=2,col=2");
  run->timeline = made_timeline(4, 2, events, 5);
  return run;
}

TEST(BadFiles, AreRefusedByName) {
  TemporaryFolder folder;
  expect_refused(folder.file("missing/a.db"), "no folder");
  expect_refused(folder.path(), "it is a folder");
  std::ofstream(folder.file("text.db"))
      << "this is not a database, whatever its name may promise to the reader\n";
  expect_refused(folder.file("text.db"), "not a database");
  make_database(folder.file("theirs.db"), "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  expect_refused(folder.file("theirs.db"), "another program");
  make_database(folder.file("id.db"), "PRAGMA application_id = 7; CREATE TABLE t (x)");
  expect_refused(folder.file("id.db"), "another program");
  { ASSERT_TRUE(Workspace::open(folder.file("new.db")).ok()); }
  make_database(folder.file("new.db"), "PRAGMA user_version = 99");
  expect_refused(folder.file("new.db"), "version 99");
  for (const char* version : {"1", "11"}) {
    const std::string path = folder.file(std::string("earlier") + version + ".db");
    make_database(path, (std::string("CREATE TABLE run (x); PRAGMA application_id = 0x53485244;"
                                     " PRAGMA user_version = ") +
                         version)
                            .c_str());
    expect_refused(path, "earlier development version");
  }
  const auto absent = Workspace::open(folder.file("absent.db"), true);
  EXPECT_NE(absent.error().text().find("no such database"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.file("absent.db")));
}

TEST(BadFiles, ThatAreEmptyBecomeWorkspacesWhenTheyAreWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("empty.db");
  std::ofstream(path).close();
  const auto reading = Workspace::open(path, true);
  ASSERT_FALSE(reading.ok());
  EXPECT_NE(reading.error().what.find("empty"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
  ASSERT_TRUE(Workspace::open(path).ok());
  EXPECT_TRUE(Workspace::open(path, true).ok());
}

TEST(BadFiles, OfOthersAreLeftAsTheyWere) {
  TemporaryFolder folder;
  const std::string path = folder.file("theirs.db");
  make_database(path, "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  const auto read = [&] {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  };
  const std::string before = read();
  EXPECT_FALSE(Workspace::open(path).ok());
  EXPECT_EQ(read(), before);
}

TEST(BadFiles, OnAFullDiskKeepWhatWasFinished) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const RunPtr small = sample_run("psum", "row=2,col=2");
  {
    auto workspace = Workspace::open(path).value();
    ASSERT_TRUE(workspace->record(small).ok());
  }
  const pid_t child = fork();
  if (child == 0) {
    // No file may grow beyond this: writing fails as on a full disk.
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    auto workspace = Workspace::open(path).value();
    const auto id = workspace->record(big_run(50'000));
    const auto outcome = workspace->wait();
    const bool refused = !outcome.ok() && outcome.error().kind == ErrorKind::io;
    const bool kept = workspace->runs().ok() && workspace->runs()->size() == 1 && workspace->load(1).ok();
    _exit(id.ok() && refused && kept ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  auto workspace = Workspace::open(path).value();
  ASSERT_EQ(workspace->runs().value().size(), 1u);
  expect_equal_runs(*small, *workspace->load(1).value());
  ASSERT_TRUE(workspace->record(small).ok());
  EXPECT_TRUE(workspace->wait().ok()) << "with space again, recording goes on";
}

// What was computed is not lost with its record.
TEST(BadFiles, LeaveARunGoodThatCannotBeEntered) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  ASSERT_TRUE(Workspace::open(path).ok());
  const pid_t child = fork();
  if (child == 0) {
    auto workspace = Workspace::open(path).value();
    const rlimit limit{0, 0};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const auto run = sample_run("psum", "row=2,col=2");
    workspace->enter(run);
    const auto outcome = workspace->wait();
    const bool said = !outcome.ok() && outcome.error().kind == ErrorKind::io;
    _exit(!run->id && said && workspace->wait().ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  auto workspace = Workspace::open(path).value();
  const auto run = sample_run("psum", "row=2,col=2");
  workspace->enter(run);
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(workspace->load(run->id.value()).value()->strategy, "psum");
}

TEST(BadFiles, ThatAreDamagedNeverCrashTheReader) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  {
    auto workspace = Workspace::open(path).value();
    ASSERT_TRUE(workspace->record(big_run(2000)).ok());
  }
  std::ifstream in(path, std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(in)), {});
  std::mt19937 random(4);
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::string bytes = sound;
    if (round % 3 == 0) bytes.resize(bytes.size() / 2 + random() % 4096);
    for (int i = 0; i < 200; ++i) bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const auto workspace = Workspace::open(path, true);
    if (!workspace.ok()) {
      EXPECT_EQ(workspace.error().kind, ErrorKind::io) << workspace.error().text();
      ++refused;
      continue;
    }
    const auto loaded = (*workspace)->load(1);
    if (!loaded.ok()) ++refused;
    const auto trace = (*workspace)->trace(1);
    if (trace.ok() && (*trace)->devices() > 0 && !(*trace)->lanes().empty())
      (void)(*trace)->bins(DeviceId(0), 0, {0, 1'000'000}, 100).ok();
  }
  EXPECT_GT(refused, 20);
}

// kill -9 at a random moment of recording: the next one to open the file finds whole runs only.
// The first run of a file is written without a log.
TEST(Kill, LeavesTheFirstLargeRunWholeOrNot) {
  const TemporaryFolder folder;
  const RunPtr run = big_run(40'000);
  const auto record = [&](const std::string& path) {
    auto workspace = Workspace::open(path);
    return workspace.ok() && (*workspace)->record(run).ok() && (*workspace)->wait().ok();
  };
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(record(folder.file("timed.db")));
  const auto once =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  std::mt19937 random(2);
  for (int round = 0; round < 8; ++round) {
    const std::string path = folder.file(std::to_string(round) + ".db");
    const pid_t child = fork();
    if (child == 0) _exit(record(path) && pause() == 0 ? 0 : 1);
    usleep(random() % static_cast<unsigned>(once.count() + once.count() / 4 + 1));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child failed before it was killed";
    auto workspace = Workspace::open(path).value();
    const auto rows = workspace->runs().value();
    for (const RunSummary& row : rows) expect_equal_runs(*run, *workspace->load(row.id).value());
    const auto query = [&](const char* sql) { return workspace->query(sql, 1).value().rows[0][0]; };
    EXPECT_EQ(query("SELECT count(*) FROM run"), std::to_string(rows.size()));
    EXPECT_EQ(query("SELECT count(*) FROM event"), std::to_string(rows.size() * run->timeline.events.size()));
    workspace.reset();
    const Database db = Database::open(path, SQLITE_OPEN_READONLY).value();
    Statement check = db.prepare("PRAGMA integrity_check").value();
    ASSERT_TRUE(check.step().value());
    EXPECT_EQ(check.text(0), "ok");
  }
}

TEST(Kill, LeavesWholeRunsOnly) {
#ifdef SHARDSCOPE_NIGHTLY
  const int rounds = 1000;
#else
  const int rounds = 50;
#endif
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const RunPtr run = big_run(4000);
  std::mt19937 random(2);
  size_t finished = 0;
  // Moments from the start to well behind the first finished run, however fast this machine is now.
  const auto begin = std::chrono::steady_clock::now();
  {
    auto workspace = Workspace::open(folder.file("timed.db")).value();
    ASSERT_TRUE(workspace->record(run).ok());
    ASSERT_TRUE(workspace->wait().ok());
  }
  const auto once =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  const auto latest = static_cast<unsigned>(2 * once.count() + 1);
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto workspace = Workspace::open(path);
      if (!workspace.ok()) _exit(1);
      for (int i = 0; i < 50; ++i)
        if (!(*workspace)->record(run).ok() || !(*workspace)->wait().ok()) _exit(1);
      _exit(0);
    }
    usleep(random() % latest);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child failed before it was killed";
    auto workspace = Workspace::open(path).value();
    const auto rows = workspace->runs().value();
    EXPECT_GE(rows.size(), finished) << "a finished run is never lost";
    finished = rows.size();
    for (const RunSummary& row : rows) EXPECT_EQ(row.status, "done");
    EXPECT_EQ(workspace->query("SELECT count(*) FROM run WHERE status = 'recording'", 1).value().rows[0][0],
              "0");
    EXPECT_EQ(workspace->query("SELECT count(*) - (SELECT sum(event_count) FROM lane) FROM event", 1)
                  .value()
                  .rows[0][0],
              finished == 0 ? "" : "0")
        << "no rows of a run that is not there";
    EXPECT_EQ(workspace->query("SELECT total(count) - (SELECT count(*) FROM event) FROM event_block", 1)
                  .value()
                  .rows[0][0],
              "0.0")
        << "nor blocks";
    if (!rows.empty()) expect_equal_runs(*run, *workspace->load(rows.back().id).value());
    while (finished > 5) {
      ASSERT_TRUE(workspace->remove(workspace->runs().value().front().id).ok());
      --finished;
    }
  }
  EXPECT_GT(finished, 0u);
}

}  // namespace
}  // namespace shardscope::bad_files_test
