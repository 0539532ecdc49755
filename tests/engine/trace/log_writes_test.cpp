// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/log_writes.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "engine/trace/sql/database.h"
#include "tests/engine/base/small_disk.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::log_writes_test {
namespace {

constexpr int kPageSize = 512;

// `file_system` null: the default one.
Database open_file(const std::string& path, const char* file_system) {
  Database db = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, file_system).value();
  EXPECT_TRUE(db.execute("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                         " PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS t (x)")
                  .ok());
  return db;
}

Result<void> write_pages(const Database& db, int64_t pages) {
  TRY(Transaction transaction, Transaction::begin(db));
  TRY_VOID(db.run("INSERT INTO t VALUES (zeroblob(?))", pages * kPageSize));
  return transaction.commit();
}

int64_t pages_of(const Database& db) {
  return db.integer("SELECT coalesce(sum(length(x)), 0) FROM t").value() / kPageSize;
}

void expect_whole(const Database& db) {
  Statement check = db.prepare("PRAGMA integrity_check").value();
  ASSERT_TRUE(check.step().value());
  EXPECT_EQ(check.text(0), "ok");
}

// How often this process wrote into a file; none where the system does not say.
std::optional<int64_t> writes() {
  std::ifstream file("/proc/self/io");
  std::string word;
  while (file >> word)
    if (int64_t count = 0; word == "syscw:" && file >> count) return count;
  return {};
}

int64_t writes_of_a_commit(const char* file_system) {
  const TemporaryFolder folder;
  const Database db = open_file(folder.file("a.db"), file_system);
  const int64_t before = writes().value_or(0);
  EXPECT_TRUE(write_pages(db, 2000).ok());
  return writes().value_or(0) - before;
}

TEST(LogWrites, AreFewAndLarge) {
  ASSERT_NE(log_writes_vfs(), nullptr);
  if (!writes()) GTEST_SKIP() << "the system counts no writes";
  EXPECT_GT(writes_of_a_commit(nullptr), 4000) << "a header and a page each";
  EXPECT_LT(writes_of_a_commit(log_writes_vfs()), 50);
}

// Of any size, to the byte as large a log as SQLite makes by itself.
TEST(LogWrites, AreThereWhenACommitIsSeen) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db"), plain_path = folder.file("plain.db");
  const Database db = open_file(path, log_writes_vfs()), plain = open_file(plain_path, nullptr);
  const Database reader = Database::open(path, SQLITE_OPEN_READONLY).value();
  std::mt19937 random(1);
  int64_t sum = 0;
  for (int round = 0; round < 100; ++round) {
    const int64_t pages = random() % (round % 10 == 0 ? 2000 : 20);
    sum += pages;
    ASSERT_TRUE(write_pages(db, pages).ok() && write_pages(plain, pages).ok());
    ASSERT_EQ(pages_of(reader), sum) << round;
    ASSERT_EQ(std::filesystem::file_size(path + "-wal"), std::filesystem::file_size(plain_path + "-wal"));
  }
  expect_whole(reader);
}

// Pages that had no room in memory go into the log before the commit: what was undone stands there still, and
// the next writer's frames stand in its place.
TEST(LogWrites, OfWhatWasUndoneHarmNobody) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path, log_writes_vfs()), other = open_file(path, nullptr);
  ASSERT_TRUE(db.execute("PRAGMA cache_size = 10").ok());
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(db.execute("BEGIN IMMEDIATE").ok());
    ASSERT_TRUE(db.run("INSERT INTO t VALUES (randomblob(200000))").ok());
    ASSERT_TRUE(db.execute("ROLLBACK").ok());
    ASSERT_TRUE(write_pages(other, 30).ok());
    ASSERT_TRUE(write_pages(db, 30).ok());
    ASSERT_EQ(pages_of(other), 60 * (round + 1));
  }
  expect_whole(other);
}

// Wherever the log meets the end of the disk, the commit fails, and nothing of it is seen.
TEST(LogWrites, ThatFailFailTheCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path, log_writes_vfs());
  const Database reader = Database::open(path, SQLITE_OPEN_READONLY).value();
  ASSERT_TRUE(write_pages(db, 10).ok());
  int64_t sum = 10, failed = 0;
  for (int more = 0; more < 400; more += 7) {
    const auto size = std::filesystem::file_size(path + "-wal");
    const bool written = [&] {
      const SmallDisk disk(size + static_cast<rlim_t>(more) * 700);
      return write_pages(db, 300).ok();
    }();
    if (!written) ++failed;
    if (written) sum += 300;
    ASSERT_EQ(pages_of(reader), sum) << more;
    ASSERT_EQ(pages_of(db), sum) << more;
    ASSERT_TRUE(write_pages(db, 1).ok()) << more;
    ++sum;
  }
  EXPECT_GT(failed, 10);
  EXPECT_GT(sum, 400) << "with room enough it is written";
  expect_whole(reader);
}

}  // namespace
}  // namespace shardscope::log_writes_test
