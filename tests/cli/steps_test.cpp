// SPDX-License-Identifier: Apache-2.0
// run and hlo run step by step: JSON, record, and a trace that is read again as a profile.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::steps_test {
namespace {

using nlohmann::json;

const std::string kTwoLayers = SHARDSCOPE_SOURCE_DIR "/presets/hlo/two_layers_step.hlo";

json run_json(const std::vector<std::string>& words) {
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
}

TEST(Steps, OfAModuleAreInJsonRecordAndTrace) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope"), trace = folder.file("t.json");
  const json out = run_json({"hlo", "run", kTwoLayers, "--steps", "6", "--annotate", "train", "--warmup", "2",
                             "--db", db, "--json"});
  ASSERT_EQ(out["steps"].size(), 6U);
  const double each = out["simulated"]["total_s"];
  for (size_t k = 0; k < 6; ++k) {
    const json& step = out["steps"][k];
    EXPECT_EQ(step["number"], k);
    EXPECT_EQ(step["marker"], "train");
    EXPECT_EQ(step["warmup"], k < 2);
    EXPECT_DOUBLE_EQ(step["total_s"].get<double>(), each);
    EXPECT_NEAR(step["start_s"].get<double>(), each * static_cast<double>(k), each * 1e-6);
    EXPECT_GT(step["wall_s"].get<double>(), 0);
    if (k > 0) {
      EXPECT_LT(step["loss"].get<double>(), out["steps"][k - 1]["loss"].get<double>());
    }
    EXPECT_EQ(step["values"][0]["name"], "result{0}");
  }
  EXPECT_EQ(out["step_statistics"]["measured"]["steps"], 4);
  EXPECT_EQ(out["step_statistics"]["simulated"]["stdev_s"], 0.0);
  EXPECT_EQ(out["carried"].size(), 4U);
  EXPECT_EQ(out["request"]["steps"], 6);
  ASSERT_EQ(
      run_program({"export", "--db", db, "--run", "1", "--format", "chrome-trace", "-o", trace}).exit_code,
      0);
  const json read = run_json({"measure", "import", trace, "--db", db, "--json"});
  EXPECT_EQ(read["steps"], 6);
  const json beside = run_json({"beside", trace, "--json"});
  EXPECT_EQ(beside["steps"], 6);
  EXPECT_NEAR(beside["step_s"].get<double>(), each, each * 0.01);
}

TEST(Steps, OfAStrategyRepeatOrCarryItsResult) {
  const std::vector<std::string> plain = {"run", "--strategy", "wang.os", "--mesh", "row=2,col=2",
                                          "--m", "8",          "--k",     "8",      "--n",
                                          "8",   "--json",     "--steps", "3"};
  const json repeated = run_json(plain);
  ASSERT_EQ(repeated["steps"].size(), 3U);
  EXPECT_EQ(repeated["steps"][2]["marker"], "step");
  EXPECT_EQ(repeated["measured"]["repeat"], 3);
  EXPECT_TRUE(repeated["numerics"]["allclose"]);
  std::vector<std::string> carried = plain;
  carried.insert(carried.end(), {"--carry", "Y=X"});
  const json powers = run_json(carried);
  EXPECT_EQ(powers["carried"], json({"Y becomes X"}));
  EXPECT_TRUE(powers["numerics"]["allclose"]);
  for (const auto& step : powers["steps"]) EXPECT_GT(step["wall_s"].get<double>(), 0);
  carried[10] = "16";
  const ProcessOutcome refused = run_program(carried);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("Y is [8,16], X is [8,8]"), std::string::npos) << refused.err;
}

// X W³ of a run in three steps is what three runs give, one of the other's result.
TEST(Steps, ThatCarryYComputeAPower) {
  const TemporaryFolder folder;
  const std::string y = folder.file("y.npy"), y3 = folder.file("y3.npy");
  const std::vector<std::string> run = {"run", "--strategy", "wang.os", "--mesh", "row=2,col=2", "--m", "4",
                                        "--k", "4",          "--n",     "4",      "--dtype",     "f64"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = run;
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run_program(words).exit_code, 0);
  };
  with({"--out", y});
  with({"--lhs", y, "--out", y});
  with({"--lhs", y, "--out", y});
  with({"--steps", "3", "--carry", "Y=X", "--out", y3});
  EXPECT_EQ(read_text(y), read_text(y3));
}

}  // namespace
}  // namespace shardscope::steps_test
