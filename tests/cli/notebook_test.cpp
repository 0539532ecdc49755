// SPDX-License-Identifier: Apache-2.0
// The page of help for notebooks: its lines run as they stand.
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>

#include "tests/cli/process.h"

namespace shardscope::notebook_test {
namespace {

// All blocks of one language, one after the other, as cells of a notebook run.
std::string cells_of(const std::string& page, const std::string& language) {
  std::istringstream lines(page);
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```" + language;
    } else if (inside) {
      out += line + "\n";
    }
  }
  return out;
}

struct Notebook : ::testing::Test {
  // Exit code of the cells, run in an empty folder with the built program on the path.
  int run(const std::string& cells) {
    write_text(folder.file("cells.py"), cells);
    std::filesystem::create_directory(folder.file("bin"));
    std::filesystem::create_symlink(SHARDSCOPE_PROGRAM, folder.file("bin/shardscope"));
    const std::string command = "cd '" + folder.path() + "' && PATH='" + folder.path() +
                                "/bin':\"$PATH\" python3 cells.py >said.txt 2>&1";
    const int status = std::system(command.c_str());
    said = read_text(folder.file("said.txt"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  TemporaryFolder folder;
  std::string said;
};

TEST_F(Notebook, TheLinesOfTheHelpPageRunAsTheyStand) {
  const std::string cells = cells_of(read_text(SHARDSCOPE_SOURCE_DIR "/assets/help/notebook.md"), "python");
  ASSERT_NE(cells.find("sqlite3"), std::string::npos);
  ASSERT_EQ(run(cells), 0) << said;
  EXPECT_NE(said.find("collective.os"), std::string::npos) << said;
  EXPECT_TRUE(std::filesystem::exists(folder.file("ring.svg")));
  EXPECT_NE(read_text(folder.file("run.html")).find("class=\"played\""), std::string::npos);
}

}  // namespace
}  // namespace shardscope::notebook_test
