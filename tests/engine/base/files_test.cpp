// SPDX-License-Identifier: Apache-2.0
// Files are read whole and written whole, or not at all.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file/write_file.h"
#include "engine/base/read_file.h"
#include "tests/engine/base/small_disk.h"
#include "tests/temporary_folder.h"

namespace shardscope::files_test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string content(const std::string& name) const { return read_file(file(name)).value(); }
  size_t count() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
};

TEST_F(Files, ThatCannotBeReadAreRefused) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  for (const std::string& path : {file("absent"), folder_.path(), file("pipe"), std::string("/dev/zero")}) {
    EXPECT_EQ(read_file(path).error().kind, ErrorKind::io) << path;
    EXPECT_EQ(bytes_of_file(path).error().kind, ErrorKind::io) << path;
  }
}

TEST_F(Files, ThatAreTooLongAreNotReadAtAll) {
  std::ofstream(file("long")) << std::string(1001, 'x');
  EXPECT_EQ(read_file(file("long"), 1000).error().what, "'" + file("long") + "' is longer than 1000 B");
  EXPECT_EQ(read_file(file("long"), 1001)->size(), 1001U);
  // One that says it holds nothing.
  EXPECT_EQ(read_file("/proc/self/status", 100).error().what, "'/proc/self/status' is longer than 100 B");
}

TEST_F(Files, AreReplacedWholeAndKeepTheirRights) {
  ASSERT_TRUE(write_file(file("a"), "first").ok());
  ASSERT_EQ(chmod(file("a").c_str(), 0640), 0);
  fs::create_symlink(file("a"), file("link"));
  ASSERT_TRUE(write_file(file("link"), "second").ok());
  EXPECT_EQ(content("a"), "second");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  struct stat found {};
  stat(file("a").c_str(), &found);
  EXPECT_EQ(found.st_mode & 0777, 0640U);
  EXPECT_EQ(count(), 2U);
}

TEST_F(Files, ThatCannotBeWrittenWholeStayWhatTheyWere) {
  ASSERT_TRUE(write_file(file("a"), "first").ok());
  {
    const SmallDisk disk(100);
    const Result<void> replaced = write_file(file("a"), std::string(200, 'x'));
    const Result<void> made = write_file(file("b"), std::string(200, 'x'));
    EXPECT_EQ(replaced.error().kind, ErrorKind::io);
    EXPECT_EQ(made.error().where, file("b"));
  }
  EXPECT_EQ(content("a"), "first");
  EXPECT_EQ(count(), 1U) << "something was left beside it";
}

TEST_F(Files, ThatAreNotCommittedLeaveNothing) {
  {
    FileWriter writer = FileWriter::open(file("a")).value();
    ASSERT_TRUE(writer.write("half").ok());
  }
  EXPECT_EQ(count(), 0U);
}

TEST_F(Files, ThatAreNoneAreWrittenStraight) {
  EXPECT_TRUE(write_file("/dev/null", "gone").ok());
  EXPECT_EQ(write_file("/dev/full", "x").error().kind, ErrorKind::io);
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(write_file(file("pipe"), "nobody reads").error().kind, ErrorKind::io);
}

TEST_F(Files, AreLookedForBeforeTheWork) {
  EXPECT_TRUE(check_new_file(file("a")).ok());
  EXPECT_TRUE(check_new_folder(file("a/b/c")).ok());
  EXPECT_FALSE(check_new_file(file("none/a")).ok());
  EXPECT_FALSE(check_new_file(folder_.path()).ok());
  std::ofstream(file("plain")) << "x";
  EXPECT_FALSE(check_new_folder(file("plain/b")).ok());
}

}  // namespace
}  // namespace shardscope::files_test
