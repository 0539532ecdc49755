// SPDX-License-Identifier: Apache-2.0
// tune: the published tuner's numbers, the simulated choices, and what is refused.
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/cli/process.h"

namespace shardscope::tune_test {
namespace {

using nlohmann::json;

const char* const kSmallModel =
    "name = \"small\"\nsequence = 64\nbatch = 4\n"
    "[[layer]]\nname = \"up\"\ninputs = 64\noutputs = 256\n"
    "[[layer]]\nname = \"down\"\ninputs = 256\noutputs = 64\n";

json tuned(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"tune", "--json"};
  all.insert(all.end(), words.begin(), words.end());
  const ProcessOutcome outcome = run_program(all);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

TEST(CliTune, GivesThePublishedChoicesForGpt3) {
  const json result = tuned({"--model", "gpt3", "--chips", "64", "--cost", "meshslice"});
  EXPECT_EQ(result["mesh"], json({8, 8}));
  std::string flows;
  for (const json& layer : result["layers"]) {
    flows += layer["dataflow"].get<std::string>() + " ";
    EXPECT_EQ(layer["slices"], 16);
    EXPECT_TRUE(layer["transpose"].is_boolean());
    EXPECT_TRUE(layer["name"].is_string());
  }
  EXPECT_EQ(flows, "OS LS OS LS ");
  ASSERT_EQ(result["candidates"].size(), 3U);
  const double published[3][4] = {{4, 16, 123.541, 17.728}, {8, 8, 58.436, 10.880}, {16, 4, 84.485, 14.404}};
  for (size_t i = 0; i < 3; ++i) {
    const json& candidate = result["candidates"][i];
    EXPECT_EQ(candidate["mesh"], json({published[i][0], published[i][1]}));
    EXPECT_NEAR(candidate["traffic_s"].get<double>() * 1e3, published[i][2], 0.0006);
    EXPECT_NEAR(candidate["latency_s"].get<double>() * 1e3, published[i][3], 0.0006);
    EXPECT_GT(candidate["pipeline_s"], 0.0);
  }
}

TEST(CliTune, PublishedCostsIgnoreTheHardwareAndSaySo) {
  const json result =
      tuned({"--model", "megatron", "--chips", "32", "--cost", "meshslice", "--hardware", "tpu-v5e"});
  EXPECT_EQ(result["mesh"], json({4, 8}));
  for (const json& layer : result["layers"]) EXPECT_EQ(layer["slices"], 20);
  EXPECT_EQ(result["ignored_options"], json({"hardware"}));
}

TEST(CliTune, SimulationRanksEveryMeshAndMarksTheFront) {
  const TemporaryFolder folder;
  write_text(folder.file("small.toml"), kSmallModel);
  const json result = tuned({"--model", folder.file("small.toml"), "--chips", "4", "--step", "inference"});
  ASSERT_FALSE(result["candidates"].empty());
  ASSERT_TRUE(result["best"].is_number());
  const json& best = result["candidates"][result["best"].get<size_t>()];
  EXPECT_EQ(result["mesh"], best["mesh"]);
  ASSERT_EQ(result["layers"].size(), 2U);
  EXPECT_EQ(result["layers"][0]["name"], "up");
  EXPECT_NE(result["layers"][0]["strategy"], "");
  EXPECT_GT(result["timed"], 0);
  for (const json& one : result["candidates"]) {
    EXPECT_GE(one["total_s"], best["total_s"]);
    EXPECT_NEAR(
        one["traffic_s"].get<double>() + one["latency_s"].get<double>() + one["pipeline_s"].get<double>(),
        one["total_s"].get<double>(), 1e-12);
    const bool beaten =
        std::any_of(result["candidates"].begin(), result["candidates"].end(), [&](const json& other) {
          return other["total_s"] <= one["total_s"] && other["peak_bytes"] <= one["peak_bytes"] &&
                 (other["total_s"] < one["total_s"] || other["peak_bytes"] < one["peak_bytes"]);
        });
    EXPECT_EQ(one["front"].get<bool>(), !beaten);
  }
  EXPECT_NE(result["assumptions"].dump().find("forward products only"), std::string::npos);
}

TEST(CliTune, ATrainingStepIsWhatIsTunedByDefault) {
  const TemporaryFolder folder;
  write_text(folder.file("small.toml"), kSmallModel);
  const json result = tuned({"--model", folder.file("small.toml"), "--chips", "4"});
  EXPECT_EQ(result["step"], "training");
  EXPECT_EQ(result, tuned({"--model", folder.file("small.toml"), "--chips", "4", "--step", "training"}));
  std::string passes;
  for (const json& layer : result["layers"])
    passes += layer["name"].get<std::string>() + " " + layer["pass"].get<std::string>() + "; ";
  EXPECT_EQ(passes,
            "up forward; down forward; down data gradient; down weight gradient; up data gradient; up weight "
            "gradient; ");
  for (const json& one : result["candidates"]) {
    int64_t sum = 0;
    for (const auto& [part, bytes] : one["memory"].items()) sum += bytes.get<int64_t>();
    EXPECT_EQ(one["peak_bytes"], sum);
    EXPECT_EQ(one["memory"]["optimiser_bytes"], 6 * one["memory"]["weights_bytes"].get<int64_t>());
  }
  EXPECT_NE(result["assumptions"].dump().find("Adam"), std::string::npos);
  const ProcessOutcome text = run_program({"tune", "--model", folder.file("small.toml"), "--chips", "4"});
  EXPECT_NE(text.out.find("up, weight gradient"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("optimiser"), std::string::npos) << text.out;
}

TEST(CliTune, PublishedCostsAreOfATrainingStep) {
  const json result =
      tuned({"--model", "gpt3", "--chips", "64", "--cost", "meshslice", "--step", "inference"});
  EXPECT_EQ(result["step"], "training");
  EXPECT_EQ(result["ignored_options"], json({"step"}));
}

TEST(CliTune, TheTextNamesTheBestMeshAndWhatWasTimed) {
  const ProcessOutcome outcome =
      run_program({"tune", "--model", "gpt3", "--chips", "256", "--cost", "meshslice"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("best mesh row=32,col=8"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("TPUv4"), std::string::npos) << outcome.out;
}

TEST(CliTune, RefusesBadRequestsWithOneLine) {
  const TemporaryFolder folder;
  write_text(folder.file("bad.toml"), "name = ");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {{"--model", "gpt", "--chips", "64"}, "gpt3"},
      {{"--model", "gpt3", "--chips", "6", "--cost", "meshslice"}, "no mesh of 6 chips"},
      {{"--model", "gpt3", "--chips", "-4"}, "-4"},
      {{"--model", "gpt3", "--chips", "0"}, "got 0"},
      {{"--model", "gpt3", "--chips", "many"}, "many"},
      {{"--model", "gpt3", "--chips", "64", "--cost", "guess"}, "guess"},
      {{"--model", "gpt3", "--chips", "64", "--step", "backward"}, "use training or inference"},
      {{"--model", "gpt3", "--chips", "64", "--hardware", "tpu-v5f"}, "tpu-v5f"},
      {{"--model", folder.file("bad.toml"), "--chips", "64"}, "bad.toml"},
      {{"--chips", "64"}, "--model"},
      {{"--model", "gpt3"}, "--chips"},
  };
  for (const auto& [words, says] : refusals) {
    std::vector<std::string> all = {"tune"};
    all.insert(all.end(), words.begin(), words.end());
    const ProcessOutcome outcome = run_program(all);
    EXPECT_EQ(outcome.exit_code, 2) << says << outcome.err;
    EXPECT_EQ(outcome.err.rfind("error: ", 0), 0U) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

std::string runs_of(const std::string& db) {
  return run_program({"runs", "--db", db, "--json"}).out;
}

TEST(CliTune, AnInterruptedRecordGoesOnWithResume) {
  const TemporaryFolder folder;
  const std::string db = folder.file("t.shardscope");
  const std::vector<std::string> words = {"--model", "gpt3", "--chips", "16", "--step", "inference"};
  std::vector<std::string> recorded = words;
  recorded.insert(recorded.end(), {"--db", db});
  std::vector<std::string> started = recorded;
  started.insert(started.begin(), "tune");
  const int process = start_program(started);
  usleep(300'000);
  kill(process, SIGINT);
  wait_for(process);  // it may have been done
  recorded.emplace_back("--resume");
  const json whole = tuned(words);
  EXPECT_EQ(tuned(recorded), whole);
  const std::string runs = runs_of(db);
  for (const json& layer : whole["layers"])
    EXPECT_NE(runs.find(layer["strategy"].get<std::string>()), std::string::npos) << runs;
  EXPECT_EQ(tuned(recorded), whole);
  EXPECT_EQ(runs_of(db), runs);  // each once
}

TEST(CliTune, ARecordThatCannotBeIsRefused) {
  const TemporaryFolder folder;
  const ProcessOutcome nowhere = run_program({"tune", "--model", "gpt3", "--chips", "4", "--resume"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_NE(nowhere.err.find("say which with --db"), std::string::npos) << nowhere.err;
  const ProcessOutcome published = run_program({"tune", "--model", "gpt3", "--chips", "16", "--cost",
                                                "meshslice", "--db", folder.file("t.shardscope")});
  EXPECT_EQ(published.exit_code, 2);
  EXPECT_NE(published.err.find("--db"), std::string::npos) << published.err;
}

TEST(CliTune, InterruptedItEndsWithTheCodeForThat) {
  const int process = start_program({"tune", "--model", "gpt3", "--chips", "4096", "--json"});
  usleep(2'000'000);
  kill(process, SIGINT);
  EXPECT_EQ(wait_for(process), 130);
}

}  // namespace
}  // namespace shardscope::tune_test
