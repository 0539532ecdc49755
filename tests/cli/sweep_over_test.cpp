// SPDX-License-Identifier: Apache-2.0
// sweep --over: points, their ranking, crossovers, and what is refused.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "tests/cli/process.h"

namespace shardscope::sweep_over_test {
namespace {

using nlohmann::json;

const std::vector<std::string> kBase = {"sweep", "--mesh", "row=2,col=4", "--m", "32", "--k", "64"};
const char* const kFew = "wang.os,wang.ls,collective.os,meshslice.os";

ProcessOutcome swept(const std::vector<std::string>& more) {
  std::vector<std::string> words = kBase;
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(CliSweepOver, GivesEveryPointOfTheCrossProduct) {
  const ProcessOutcome outcome =
      swept({"--strategies", kFew, "--over", "n=64..256x2", "--over", "dtype=bf16,f32", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json table = json::parse(outcome.out);
  EXPECT_EQ(table["over"],
            json::parse(R"([{"name":"n","values":[64,128,256]},{"name":"dtype","values":["bf16","f32"]}])"));
  ASSERT_EQ(table["points"].size(), 6U);
  EXPECT_EQ(table["points"][1]["values"], json({{"n", 64}, {"dtype", "f32"}}));
  EXPECT_EQ(table["complete"], true);
  for (const json& point : table["points"]) {
    ASSERT_EQ(point["ranking"].size(), 4U);
    EXPECT_EQ(point["best"], point["ranking"][0]);
    double last = 0;
    for (const json& strategy : point["ranking"]) {
      const auto id = strategy.get<std::string>();
      const double priced = point["total_s"][id].get<double>() + point["price_s"][id].get<double>();
      EXPECT_GE(priced, last);
      last = priced;
    }
  }
}

TEST(CliSweepOver, ACrossoverIsWhereTheWinnerOfNeighboursChanges) {
  const ProcessOutcome outcome = swept({"--strategies", kFew, "--over", "n=64..65536x4", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json table = json::parse(outcome.out);
  json expected = json::array();
  for (size_t i = 1; i < table["points"].size(); ++i) {
    const json& before = table["points"][i - 1];
    const json& after = table["points"][i];
    if (before["best"] == after["best"]) continue;
    expected.push_back({{"along", "n"},
                        {"from", before["values"]["n"]},
                        {"to", after["values"]["n"]},
                        {"before", before["best"]},
                        {"after", after["best"]},
                        {"at", json::object()}});
  }
  EXPECT_EQ(table["crossovers"], expected);
}

TEST(CliSweepOver, APointIsTimedAsTheSameSingleRunIs) {
  const json table = json::parse(swept({"--strategies", "wang.os", "--over", "n=96", "--json"}).out);
  const json run = json::parse(run_program({"run", "--json", "--strategy", "wang.os", "--mesh", "row=2,col=4",
                                            "--m", "32", "--k", "64", "--n", "96"})
                                   .out);
  EXPECT_EQ(table["points"][0]["total_s"]["wang.os"], run["simulated"]["total_s"]);
}

TEST(CliSweepOver, NumbersAreCheckedWhenAskedFor) {
  const std::vector<std::string> words = {"--strategies", "wang.os", "--over", "n=96,192", "--json"};
  EXPECT_FALSE(json::parse(swept(words).out)["points"][0].contains("allclose"));
  std::vector<std::string> checked = words;
  checked.insert(checked.end(), {"--numerics", "on"});
  EXPECT_EQ(json::parse(swept(checked).out)["points"][0]["allclose"]["wang.os"], true);
}

TEST(CliSweepOver, TheTextHasARowPerPointAndMeshesCanBeSwept) {
  const ProcessOutcome outcome = run_program(
      {"sweep", "--m", "32", "--k", "64", "--n", "64", "--strategies", kFew, "--over", "mesh=2x4,4x2,2x2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* mesh : {"2x4", "4x2", "2x2"}) EXPECT_NE(outcome.out.find(mesh), std::string::npos);
  EXPECT_NE(outcome.out.find("lead"), std::string::npos) << outcome.out;
}

TEST(CliSweepOver, ReportIsAFileOfCurvesOrOfTimes) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("shardscope_sweep_over_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto written = [&](const char* name) {
    const std::string path = (folder / name).string();
    const ProcessOutcome outcome = swept({"--strategies", kFew, "--over", "n=64..65536x4", "--report", path});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  const std::string html = written("sweep.html");
  for (const char* part : {"<svg", "wang.os", "Every point", "</html>"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("<script"), html.rfind("<script")) << "the page's own alone";
  for (const char* part : {"How this was made", "--over n=64..65536x4"})
    EXPECT_NE(written("sweep.md").find(part), std::string::npos) << part;
  EXPECT_EQ(written("sweep.pdf").rfind("%PDF-", 0), 0U);
  const std::string csv = written("sweep.csv");
  EXPECT_EQ(csv.rfind("n,best,", 0), 0U) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7) << "a heading and a line per point";
  std::filesystem::remove_all(folder);
}

TEST(CliSweepOver, RefusesBadAxesWithOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {{"--over", "nn=1,2"}, "did you mean"},
      {{"--over", "n=0..8"}, "not positive"},
      {{"--over", "n=8..64x1"}, "never ends"},
      {{"--over", "n=64", "--over", "n=128"}, "there twice"},
      {{"--over", "n=1..9000", "--over", "slices=1,2,4"}, "27,000 points"},
      {{"--over", "dtype=f33", "--n", "64"}, "f33"},
      {{"--over", "slices=1,2"}, "n is missing"},
      {{"--over", "n=64", "--report", "out"}, "--report"},
      {{"--over", "n=64", "--db", "w.shardscope"}, "--db"},
      {{"--over", "n=7,9", "--strategies", "wang.os"}, "nothing could run"},
  };
  for (const auto& [words, says] : refusals) {
    const ProcessOutcome outcome = swept(words);
    EXPECT_EQ(outcome.exit_code, 2) << says << outcome.err;
    EXPECT_EQ(outcome.err.rfind("error: ", 0), 0U) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << says << " / " << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace shardscope::sweep_over_test
