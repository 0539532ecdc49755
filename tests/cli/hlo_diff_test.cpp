// SPDX-License-Identifier: Apache-2.0
// hlo diff: stages of a module and versions of one, side by side.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::hlo_diff_test {
namespace {

const std::string kPresets = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/";

nlohmann::json differences(std::vector<std::string> words) {
  words.insert(words.begin(), {"hlo", "diff"});
  words.emplace_back("--json");
  const ProcessOutcome done = run_program(words);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  return nlohmann::json::parse(done.out);
}

TEST(HloDiff, StagesAreThoseThatTheModuleWentThrough) {
  const auto stages = differences({kPresets + "mlp.mlir", "--stages", "--partitioner", "shardy"});
  std::vector<std::string> names;
  for (const auto& module : stages["modules"]) names.push_back(module["name"]);
  EXPECT_EQ(names,
            (std::vector<std::string>{"module", "propagated", "resharded", "collectives", "partitioned"}));
  ASSERT_EQ(stages["between"].size(), 4U);
  for (const auto& each : stages["between"]) {
    for (const char* kind : {"changed", "only_before", "only_after"}) {
      const auto lines =
          std::ranges::count_if(each["lines"], [&](const auto& line) { return line["kind"] == kind; });
      EXPECT_EQ(each[kind], lines) << kind;
    }
  }
}

TEST(HloDiff, VersionsStandSideBySide) {
  const std::string mlp = kPresets + "mlp.hlo";
  const auto versions = differences({mlp, mlp, kPresets + "fsdp_gather.mlir"});
  EXPECT_TRUE(versions["between"][0]["equal"]);
  EXPECT_FALSE(versions["between"][1]["equal"]);
  const ProcessOutcome text = run_program({"hlo", "diff", mlp, mlp, kPresets + "fsdp_gather.mlir"});
  EXPECT_NE(text.out.find("mlp.hlo | "), std::string::npos) << text.out;
}

TEST(HloDiff, APageIsOneFileOfAtMostTwoMegabytes) {
  const TemporaryFolder folder;
  const std::string page = folder.file("stages.html");
  const ProcessOutcome made =
      run_program({"hlo", "diff", kPresets + "mlp.mlir", "--stages", "--format", "html", "-o", page});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const std::string html = read_text(page);
  EXPECT_NE(html.find("<title>Stages of mlp.mlir"), std::string::npos);
  EXPECT_NE(html.find("all-reduce"), std::string::npos);
  EXPECT_LE(html.size(), size_t{2} << 20);
}

TEST(HloDiff, RefusesOneModuleAndTheStagesOfTwo) {
  const std::string mlp = kPresets + "mlp.hlo";
  EXPECT_EQ(run_program({"hlo", "diff", mlp}).exit_code, 2);
  EXPECT_EQ(run_program({"hlo", "diff", mlp, mlp, "--stages"}).exit_code, 2);
  EXPECT_EQ(run_program({"hlo", "diff", mlp, mlp, "--format", "pdf"}).exit_code, 2);
}

}  // namespace
}  // namespace shardscope::hlo_diff_test
