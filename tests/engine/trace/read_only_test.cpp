// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/trace/workspace.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::read_only_test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

void record_one(const std::string& path) {
  auto workspace = Workspace::open(path).value();
  ASSERT_TRUE(workspace->record(sample_run("psum", "row=2,col=2")).ok());
  ASSERT_TRUE(workspace->wait().ok());
}

// Reads all there is of run 1, every way there is.
bool reads_run_one(const std::string& path) {
  const auto reading = Workspace::open(path, true);
  if (!reading.ok()) return false;
  const auto rows = (*reading)->runs();
  const auto trace = (*reading)->trace(1);
  return rows.ok() && rows->size() == 1 && (*reading)->load(1).ok() && trace.ok() &&
         (*trace)->event(0).ok() && (*reading)->query("SELECT * FROM device_event", 1000).ok();
}

TEST(ReadOnly, LeavesTheFileAndItsFolderAsTheyWere) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  record_one(path);
  const std::string before = bytes_of(path);
  ASSERT_EQ(names_in(folder.path()), (std::set<std::string>{"a.db"}));
  EXPECT_TRUE(reads_run_one(path));
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"a.db"}));
}

TEST(ReadOnly, MakesNoFileThatIsNotThere) {
  TemporaryFolder folder;
  const auto absent = Workspace::open(folder.file("absent.db"), true);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind, ErrorKind::io);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(ReadOnly, RefusesToWrite) {
  TemporaryFolder folder;
  record_one(folder.file("a.db"));
  auto workspace = Workspace::open(folder.file("a.db"), true).value();
  EXPECT_EQ(workspace->record(sample_run("psum", "row=2,col=2")).error().kind, ErrorKind::io);
  EXPECT_EQ(workspace->reserve_id().error().kind, ErrorKind::io);
  EXPECT_EQ(workspace->remove(1).error().kind, ErrorKind::io);
  EXPECT_TRUE(workspace->wait().ok());
  EXPECT_EQ(workspace->runs().value().size(), 1u);
}

// The outcome of `body` in a child process that is nobody: root may write everything.
template <class Body>
int as_nobody(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ReadOnly, WorksOnAFileAndFolderThatCannotBeWritten) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  {
    auto workspace = Workspace::open(path).value();
    ASSERT_TRUE(workspace->record(sample_run("psum", "row=2,col=2")).ok());
  }
  chmod(path.c_str(), 0444);
  chmod(folder.path().c_str(), 0555);
  EXPECT_EQ(as_nobody([&] {
              const auto writing = Workspace::open(path);
              return !writing.ok() && writing.error().kind == ErrorKind::io;
            }),
            0);
  EXPECT_EQ(as_nobody([&] {
              const auto reading = Workspace::open(path, true);
              return reading.ok() && (*reading)->load(1).ok() &&
                     (*reading)->record(nullptr).error().kind == ErrorKind::io;
            }),
            0);
  chmod(folder.path().c_str(), 0755);
}

TEST(ReadOnly, WorksOnAFileThatCannotBeWrittenAndLeavesNothingBesideIt) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  record_one(path);
  chmod(path.c_str(), 0444);
  chmod(folder.path().c_str(), 0777);
  EXPECT_EQ(as_nobody([&] { return reads_run_one(path); }), 0);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"a.db"}));
}

// As after a crash, or on a copy made while the file was being written.
TEST(ReadOnly, ReadsALogThatWasLeftBesideTheFile) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db"), copy = folder.file("copy/a.db");
  std::filesystem::create_directory(folder.file("copy"));
  {
    auto workspace = Workspace::open(path).value();
    ASSERT_TRUE(workspace->record(sample_run("psum", "row=2,col=2")).ok());
    ASSERT_TRUE(workspace->wait().ok());
    ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
    std::filesystem::copy(path, copy);
    std::filesystem::copy(path + "-wal", copy + "-wal");
  }
  for (const std::string& file : {copy, copy + "-wal"}) chmod(file.c_str(), 0444);
  chmod(folder.file("copy").c_str(), 0555);
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(as_nobody([&] { return reads_run_one(copy); }), 0);
  EXPECT_EQ(names_in(folder.file("copy")), (std::set<std::string>{"a.db", "a.db-wal"}));
  chmod(folder.file("copy").c_str(), 0755);
}

}  // namespace
}  // namespace shardscope::read_only_test
