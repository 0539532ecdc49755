// SPDX-License-Identifier: Apache-2.0
// A machine that stops while a new file's first large run is written, without a log.
#include "tests/engine/trace/lost_power.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/trace/sql/checkpoints.h"
#include "engine/trace/sql/unsynced.h"
#include "engine/trace/workspace.h"
#include "engine/trace/workspace_file.h"
#include "tests/engine/base/small_disk.h"
#include "tests/engine/run/made_timeline.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::lost_power_test {
namespace {

// So many events that no log is worth it.
const RunPtr& large_run() {
  static const RunPtr kRun = [] {
    auto run = sample_run("psum", "row=2,col=2");
    run->timeline = made_timeline(4, 2, 32'000, 5);
    return run;
  }();
  return kRun;
}

void record_into(const std::string& path) {
  const auto workspace = Workspace::open(path).value();
  ASSERT_TRUE(workspace->record(large_run()).ok());
  ASSERT_TRUE(workspace->wait().ok());
}

constexpr int kVersionPlace = 60;

// The number of a start of the machine in a file that says one becomes another start's.
void start_again(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::array<char, 4> version{};
  file.seekg(kVersionPlace).read(version.data(), 4);
  if (!file || version[0] >= 0) return;
  version[3] ^= 1;
  file.seekp(kVersionPlace).write(version.data(), 4);
}

bool says_what_happened(const Error& error) {
  return error.kind == ErrorKind::io && error.text().find("the machine stopped") != std::string::npos;
}

std::string integrity(const std::string& path) {
  const Database db = Database::open(path, SQLITE_OPEN_READONLY).value();
  Statement check = db.prepare("PRAGMA integrity_check").value();
  return check.step().value() ? check.text(0) : "";
}

enum class Left { nothing, lost, all };

// Whoever reads it finds all or nothing, or is told; whoever writes goes on.
Left expect_sound(const std::string& path) {
  start_again(path);
  Left left = Left::nothing;
  if (const auto reading = Workspace::open(path, true); reading.ok()) {
    const auto runs = (*reading)->runs().value();
    if (!runs.empty()) {
      left = Left::all;
      expect_equal_runs(*large_run(), *(*reading)->load(runs.front().id).value());
    }
  } else if (std::filesystem::file_size(path) > 0) {
    EXPECT_TRUE(says_what_happened(reading.error()) ||
                reading.error().text().find("is empty") != std::string::npos)
        << reading.error().text();
    if (says_what_happened(reading.error())) left = Left::lost;
  }
  {
    const auto workspace = Workspace::open(path);
    EXPECT_TRUE(workspace.ok()) << workspace.error().text();
    if (!workspace.ok()) return left;
    EXPECT_EQ((*workspace)->runs().value().size(), left == Left::all ? 1U : 0U);
    EXPECT_TRUE((*workspace)->record(sample_run("psum", "row=2,col=2")).ok());
    EXPECT_TRUE((*workspace)->wait().ok());
  }
  EXPECT_EQ(integrity(path), "ok");
  EXPECT_EQ(Workspace::open(path, true).value()->runs().value().size(), left == Left::all ? 2U : 1U);
  return left;
}

TEST(LostPower, CostsTheFirstLargeRunOfAFileAndNothingElse) {
  const TemporaryFolder folder;
  DiskThatLosesPower disk;
  record_into(folder.file("counted.db"));
  const int64_t all = disk.writes();
  std::set<int64_t> moments = {1, 8, 20};
  for (int64_t i = 1; i < 8; ++i) moments.insert(all * i / 8);
  for (int64_t i = 1; i <= 8; ++i) moments.insert(all - i);  // the disk is waited for there
  const std::string path = folder.file("a.db");
  std::vector<std::string> left;
  disk.before_write = [&](int64_t writes) {
    if (moments.count(writes - all) == 0) return;
    const unsigned kept = std::array{0U, 50U, 95U}[left.size() % 3];
    left.push_back(folder.file(std::to_string(left.size()) + ".db"));
    std::ofstream(left.back()).close();
    disk.leave(path, left.back(), kept);
  };
  record_into(path);
  disk.before_write = {};
  EXPECT_GT(left.size(), 15U);
  int lost = 0;
  for (const std::string& file : left) {
    SCOPED_TRACE(file);
    if (expect_sound(file) == Left::lost) ++lost;
    std::filesystem::remove(file);
  }
  EXPECT_GT(lost, 5);
  const std::string closed = folder.file("closed.db");
  disk.leave(path, closed, 0);
  EXPECT_EQ(expect_sound(closed), Left::all) << "who closes a file waits for the disk";
}

TEST(LostPower, CostsNothingOnceAWorkspaceIsSettled) {
  const TemporaryFolder folder;
  DiskThatLosesPower disk;
  const std::string path = folder.file("a.db"), left = folder.file("left.db");
  const auto workspace = Workspace::open(path).value();
  ASSERT_TRUE(workspace->record(large_run()).ok());
  ASSERT_TRUE(workspace->settle().ok());
  disk.leave(path, left, 0);
  EXPECT_EQ(expect_sound(left), Left::all);
}

// What the file says of the machine's start is no reason to give up anything.
TEST(LostPower, IsToldFromAKilledProcessAndFromFilesOfOthers) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  {
    const Database db = open_writer(path).value();
    ASSERT_TRUE(db.execute("INSERT INTO setting VALUES ('a', 'b'); PRAGMA journal_mode = PERSIST").ok());
    ASSERT_TRUE(stop_syncing(db).ok());
    EXPECT_FALSE(lost_with_power(db, kApplicationId));
  }
  EXPECT_TRUE(Workspace::open(path, true).ok()) << "of this start";
  std::filesystem::copy_file(path, folder.file("log.db"));
  start_again(folder.file("log.db"));
  ASSERT_TRUE(Database::open(folder.file("log.db"), SQLITE_OPEN_READWRITE)
                  ->execute("PRAGMA journal_mode = WAL")
                  .ok());
  std::filesystem::copy_file(path, folder.file("theirs.db"));
  ASSERT_TRUE(Database::open(folder.file("theirs.db"), SQLITE_OPEN_READWRITE)
                  ->execute("PRAGMA application_id = 7")
                  .ok());
  start_again(folder.file("theirs.db"));
  for (const char* name : {"a.db", "log.db"}) {
    const Database db = open_writer(folder.file(name)).value();
    EXPECT_EQ(db.integer("SELECT count(*) FROM setting WHERE name = 'a'").value(), 1) << name;
    EXPECT_EQ(db.integer("PRAGMA user_version").value(), kFormatVersion);
  }
  const auto theirs = Workspace::open(folder.file("theirs.db"));
  ASSERT_FALSE(theirs.ok());
  EXPECT_NE(theirs.error().text().find("another program"), std::string::npos);
  EXPECT_GT(std::filesystem::file_size(folder.file("theirs.db")), 0U);
}

// Who opens a file to write brings its log back, and with it the wait for the disk.
TEST(LostPower, EndsWhereAnotherProgramWritesToo) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_writer(path).value();
  Checkpoints checkpoints(db);
  checkpoints.go_straight(true);
  EXPECT_TRUE(is_unsynced(db.integer("PRAGMA user_version").value()));
  EXPECT_EQ(db.integer("PRAGMA synchronous").value(), 0);
  const Database other = open_writer(path).value();
  EXPECT_EQ(other.integer("PRAGMA user_version").value(), kFormatVersion);
  ASSERT_TRUE(db.run("INSERT INTO setting VALUES ('a', 'b')").ok());
  EXPECT_EQ(db.integer("PRAGMA synchronous").value(), 1);
  EXPECT_EQ(other.integer("SELECT count(*) FROM setting").value(), 1);
  EXPECT_EQ(other.integer("PRAGMA user_version").value(), kFormatVersion);
}

// The disk is full where the file would say that it is whole: the next one to open it takes care.
TEST(LostPower, AFullDiskLeavesARunThatIsWholeOrNone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  for (const rlim_t bytes : {rlim_t{200'000}, rlim_t{4} << 20, rlim_t{20} << 20}) {
    {
      const SmallDisk small(bytes);
      if (const auto workspace = Workspace::open(path); workspace.ok()) {
        static_cast<void>((*workspace)->record(large_run()));
        const auto outcome = (*workspace)->wait();
        EXPECT_TRUE(outcome.ok() || outcome.error().kind == ErrorKind::io) << outcome.error().text();
      }
    }
    const auto workspace = Workspace::open(path).value();
    const auto rows = workspace->runs();
    for (const RunSummary& row : rows.value())
      expect_equal_runs(*large_run(), *workspace->load(row.id).value());
  }
  EXPECT_EQ(integrity(path), "ok");
}

}  // namespace
}  // namespace shardscope::lost_power_test
