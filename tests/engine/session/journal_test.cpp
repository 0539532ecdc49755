// SPDX-License-Identifier: Apache-2.0
// Where a window's work is kept while it runs: who holds it, who may go on in it, how much of it stays.
#include "engine/session/journal.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/temporary_folder.h"

namespace shardscope::journal_test {
namespace {

namespace fs = std::filesystem;

class JournalTest : public ::testing::Test {
 protected:
  // A journal with `state` that its window has left.
  std::string leave(const std::string& state) {
    auto journal = Journal::begin(folder);
    EXPECT_TRUE(journal.ok()) << journal.error().text();
    (*journal)->keep(state);
    return (*journal)->path();
  }
  std::vector<std::string> states() const {
    std::vector<std::string> out;
    for (const LeftJournal& left : Journal::left(folder)) out.push_back(left.state);
    return out;
  }

  TemporaryFolder temporary;
  const std::string folder = temporary.path();
};

TEST_F(JournalTest, WhatWasLeftIsFoundWithItsLastState) {
  auto journal = Journal::begin(folder);
  ASSERT_TRUE(journal.ok());
  for (const char* state : {"first", "second", "third"}) (*journal)->keep(state);
  journal->reset();
  EXPECT_EQ(states(), std::vector<std::string>{"third"});
  const auto taken = Journal::take(Journal::left(folder).front().path);
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ((*taken)->state().value(), "third");
}

TEST_F(JournalTest, NoTwoWindowsShareOne) {
  const std::string path = leave("mine");
  const auto first = Journal::begin(folder), second = Journal::begin(folder);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE((*first)->path(), (*second)->path());
  const auto taken = Journal::take(path);
  ASSERT_TRUE(taken.ok());
  EXPECT_FALSE(Journal::take(path).ok()) << "another window works on it";
  EXPECT_TRUE(Journal::left(folder).empty()) << "all are in use";
}

TEST_F(JournalTest, OneThatKillNineLeftCanBeTakenAtOnce) {
  const pid_t child = fork();
  if (child == 0) {
    auto journal = Journal::begin(folder);
    if (!journal.ok()) _exit(1);
    (*journal)->keep("before the kill");
    if (!(*journal)->workspace()->wait().ok()) _exit(2);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  EXPECT_EQ(states(), std::vector<std::string>{"before the kill"});
}

TEST_F(JournalTest, OnlyTheNewestStay) {
  for (int i = 0; i < Journal::kMostLeft + 3; ++i) {
    leave(std::to_string(i));
    usleep(2000);  // their names tell milliseconds apart
  }
  const std::vector<std::string> left = states();
  ASSERT_EQ(std::ssize(left), Journal::kMostLeft);
  EXPECT_EQ(left.front(), std::to_string(Journal::kMostLeft + 2)) << "the newest first";
  EXPECT_EQ(left.back(), "3");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2 * Journal::kMostLeft)
      << "a database and its lock each";
}

TEST_F(JournalTest, OneWithNothingInItGoes) {
  ASSERT_TRUE(Journal::begin(folder).ok());  // begun and left
  EXPECT_TRUE(Journal::left(folder).empty());
  EXPECT_TRUE(fs::is_empty(folder));
  auto journal = Journal::begin(folder);
  ASSERT_TRUE(journal.ok());
  (*journal)->keep("of no use");
  (*journal)->discard();
  journal->reset();
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(JournalTest, WhatElseLiesInTheFolderIsNotTouched) {
  const std::string mine = folder + "/mine.shardscope";
  ASSERT_TRUE(Workspace::open(mine).ok());
  EXPECT_TRUE(Journal::left(folder).empty());
  EXPECT_TRUE(fs::exists(mine));
}

TEST_F(JournalTest, FolderThatCannotBeMadeIsNamed) {
  const auto journal = Journal::begin("/proc/nowhere");
  ASSERT_FALSE(journal.ok());
  EXPECT_NE(journal.error().text().find("/proc/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::journal_test
