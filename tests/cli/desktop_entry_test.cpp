// SPDX-License-Identifier: Apache-2.0
// What a desktop reads of an installed program, by the desktop's own tools.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

#include "engine/trace/workspace_file.h"
#include "tests/cli/process.h"

namespace shardscope::desktop_entry_test {
namespace {

const std::string kShare = SHARDSCOPE_SOURCE_DIR "/packaging/share/";
const std::string kMetainfo = kShare + "io.github.shardscope.shardscope.metainfo.xml";

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex wanted(pattern);
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it) out.insert((*it)[1]);
  return out;
}

int status_of(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str());
}

TEST(DesktopEntry, IsValidForTheToolsThatReadIt) {
  EXPECT_EQ(status_of("desktop-file-validate '" + kShare + "shardscope.desktop'"), 0);
  EXPECT_EQ(status_of("appstreamcli validate --no-net --pedantic '" + kMetainfo + "'"), 0);
}

TEST(DesktopEntry, NamesTheSameFileTypesEverywhere) {
  const auto types = matches(read_text(kShare + "shardscope.xml"), "<mime-type type=\"([^\"]+)\"");
  EXPECT_EQ(types.size(), 4U);
  const std::string entry = read_text(kShare + "shardscope.desktop");
  const size_t list = entry.find("MimeType=");
  ASSERT_NE(list, std::string::npos);
  EXPECT_EQ(matches(entry.substr(list + 9), "([a-z-]+/[a-z.-]+);"), types);
  EXPECT_EQ(matches(read_text(kMetainfo), "<mediatype>([^<]+)</mediatype>"), types);
}

TEST(DesktopEntry, FilesAreKnownByTheirEndings) {
  const TemporaryFolder folder;
  ASSERT_EQ(status_of("mkdir '" + folder.path() + "/packages' && cp '" + kShare + "shardscope.xml' '" +
                      folder.path() + "/packages' && update-mime-database '" + folder.path() + "'"),
            0);
  const std::string globs = read_text(folder.file("globs2"));
  for (const char* row : {"application/x-shardscope:*.shardscope", "text/x-hlo:*.hlo", "text/x-mlir:*.mlir",
                          "application/x-shardscope-lesson:*.lesson.toml"})
    EXPECT_NE(globs.find(row), std::string::npos) << row;
}

// A workspace without its ending is told by its first bytes, which are those of a real one.
TEST(DesktopEntry, AWorkspaceIsKnownByItsApplicationId) {
  const TemporaryFolder folder;
  const std::string db = folder.file("runs.shardscope");
  ASSERT_EQ(
      run_program({"run", "teaching", "--strategy", "wang.os", "--numerics", "off", "--db", db}).exit_code,
      0);
  const std::string bytes = read_text(db);
  ASSERT_GT(bytes.size(), 72U);
  uint32_t id = 0;
  for (size_t i = 68; i < 72; ++i) id = (id << 8U) | static_cast<unsigned char>(bytes[i]);
  EXPECT_EQ(id, kApplicationId);
  EXPECT_NE(read_text(kShare + "shardscope.xml").find(fmt::format("offset=\"68\" value=\"0x{:x}\"", id)),
            std::string::npos);
}

}  // namespace
}  // namespace shardscope::desktop_entry_test
