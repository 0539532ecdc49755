// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/checkpoints.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/engine/trace/sample_run.h"

namespace shardscope::checkpoints_test {
namespace {

constexpr int kPageSize = 512;

Database open_file(const std::string& path) {
  Database db = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  EXPECT_TRUE(db.execute("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                         " CREATE TABLE IF NOT EXISTS t (x)")
                  .ok());
  return db;
}

void write_pages(const Database& db, int pages) {
  ASSERT_TRUE(db.run("INSERT INTO t VALUES (zeroblob(?))", int64_t{pages} * kPageSize).ok());
}

int64_t pages_in(const std::string& file) {
  return static_cast<int64_t>(std::filesystem::file_size(file)) / kPageSize;
}

// Before anybody closes the file.
bool happens(const std::function<bool()>& what) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!what() && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return what();
}

TEST(Checkpoints, CopyTheLogBehindTheWriter) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path);
  const Checkpoints checkpoints(db);
  write_pages(db, 100);
  EXPECT_LT(pages_in(path), 50) << "a short log is left alone";
  write_pages(db, 3000);
  EXPECT_TRUE(happens([&] { return pages_in(path) > 3000; }));
  EXPECT_EQ(db.integer("SELECT sum(length(x)) FROM t").value(), 3100 * kPageSize);
}

TEST(Checkpoints, KeepALogFromGrowingWithoutEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path);
  const Checkpoints checkpoints(db);
  for (int i = 0; i < 40; ++i) write_pages(db, 2000);
  EXPECT_LT(pages_in(path + "-wal"), 25'000) << "of 80,000";
  EXPECT_EQ(db.integer("SELECT sum(length(x)) FROM t").value(), 80'000 * kPageSize);
}

// Whoever closes the file waits for the rest.
TEST(Checkpoints, LeaveLittleToBeCopied) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path);
  const Checkpoints checkpoints(db);
  for (int written = 500; written <= 20'000; written += 500) {
    write_pages(db, 500);
    EXPECT_LT(written - pages_in(path), 11'000) << "of " << written;
  }
}

// What a reader still needs cannot be copied over.
TEST(Checkpoints, DoNotWaitForReaders) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path), reader = open_file(path);
  const Checkpoints checkpoints(db);
  write_pages(db, 1);
  ASSERT_TRUE(reader.execute("BEGIN").ok());
  EXPECT_EQ(reader.integer("SELECT count(*) FROM t").value(), 1);
  for (int i = 0; i < 20; ++i) write_pages(db, 2000);
  EXPECT_EQ(reader.integer("SELECT count(*) FROM t").value(), 1);
  ASSERT_TRUE(reader.execute("COMMIT").ok());
  EXPECT_EQ(reader.integer("SELECT count(*) FROM t").value(), 21);
}

std::string journal_of(const Database& db) {
  Statement mode = db.prepare("PRAGMA journal_mode").value();
  return mode.step().value() ? mode.text(0) : "";
}

TEST(Checkpoints, LetCommitsGoStraightIntoAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path);
  Checkpoints checkpoints(db);
  write_pages(db, 2000);
  checkpoints.go_straight(true);
  EXPECT_EQ(journal_of(db), "persist");
  write_pages(db, 3000);
  EXPECT_GT(pages_in(path), 5000);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
  EXPECT_EQ(open_file(path).integer("SELECT sum(length(x)) FROM t").value(), 5000 * kPageSize);
  EXPECT_TRUE(checkpoints.rest());
  EXPECT_EQ(journal_of(db), "wal");
  EXPECT_FALSE(std::filesystem::exists(path + "-journal"));
  write_pages(db, 10);
  EXPECT_EQ(db.integer("SELECT sum(length(x)) FROM t").value(), 5010 * kPageSize);
}

TEST(Checkpoints, KeepTheLogOfAFileThatOthersHaveOpen) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path), reader = open_file(path);
  EXPECT_EQ(reader.integer("SELECT count(*) FROM t").value(), 0);
  Checkpoints checkpoints(db);
  checkpoints.go_straight(true);
  EXPECT_EQ(journal_of(db), "wal");
  write_pages(db, 3000);
  EXPECT_EQ(reader.integer("SELECT sum(length(x)) FROM t").value(), 3000 * kPageSize);
  EXPECT_TRUE(checkpoints.rest());
}

TEST(Checkpoints, LeaveTheConnectionAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Database db = open_file(path);
  { const Checkpoints checkpoints(db); }
  write_pages(db, 3000);
  EXPECT_GT(pages_in(path), 3000) << "commits copy the log themselves";
}

}  // namespace
}  // namespace shardscope::checkpoints_test
