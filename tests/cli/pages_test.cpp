// SPDX-License-Identifier: Apache-2.0
// Pages for the browser as the commands write them; how they play is in tests/pages.
#include <gtest/gtest.h>
#include <regex>

#include "engine/session/lessons/lesson_presets.h"
#include "tests/cli/process.h"

namespace shardscope::pages_test {
namespace {

constexpr size_t kMegabyte = 1'000'000;

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(LessonExport, WritesEveryBuiltInLessonInAMegabyteWithAllItsSteps) {
  const TemporaryFolder folder;
  ASSERT_GE(lesson_presets().size(), 7U);
  for (const LessonPreset& lesson : lesson_presets()) {
    const std::string file = folder.file(lesson.name + ".html");
    const ProcessOutcome outcome = run_program({"lesson", "export", lesson.name, "-o", file});
    ASSERT_EQ(outcome.exit_code, 0) << lesson.name << ": " << outcome.err;
    const std::string page = read_text(file);
    EXPECT_LE(page.size(), kMegabyte) << lesson.name;
    EXPECT_EQ(count(page, "<section class=\"step\""), static_cast<size_t>(lesson.steps)) << lesson.name;
    EXPECT_EQ(page.find("http://www.w3.org/2000/svg\" src"), std::string::npos);
    // The same bytes for the same lesson.
    EXPECT_EQ(run_program({"lesson", "export", lesson.name}).out, page) << lesson.name;
  }
}

TEST(LessonExport, RefusesAWrongLessonWithItsLine) {
  const TemporaryFolder folder;
  const std::string file = folder.file("wrong.lesson.toml");
  write_text(
      file,
      "title = \"t\"\n\n[experiments.e]\npreset = \"teaching\"\n\n[[step]]\nsay = \"{runs.nobody.total}\"\n"
      "experiment = \"e\"\nshow = [\"ring\"]\n");
  const ProcessOutcome outcome = run_program({"lesson", "export", file, "-o", folder.file("w.html")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(":7"), std::string::npos) << outcome.err;
}

TEST(RenderHtml, NamesNothingOutsideAndAllowsNoOtherScript) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope"), file = folder.file("run.html");
  ASSERT_EQ(
      run_program({"run", "teaching", "--strategy", "wang.os", "--numerics", "off", "--db", db}).exit_code,
      0);
  ASSERT_EQ(run_program({"render", "--db", db, "--run", "1", "--view", "ring,memory", "-o", file}).exit_code,
            0);
  const std::string page = read_text(file);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"(?!#)")));
  EXPECT_EQ(count(page, "data-view=\""), 2U);
  const ProcessOutcome wrong =
      run_program({"render", "--db", db, "--run", "1", "--view", "rong", "-o", file});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("ring"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace shardscope::pages_test
