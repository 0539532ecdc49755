// SPDX-License-Identifier: Apache-2.0
// `shardscope story` as a user types it.
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace shardscope::story_command_test {
namespace {

using nlohmann::json;

const std::vector<std::string> kWang = {"story", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m",
                                        "32",    "--k",        "64",      "--n",    "96"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json told(const std::vector<std::string>& words) {
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> out;
  for (const auto& [key, value] : object.items()) out.insert(key);
  return out;
}

TEST(StoryCommand, GivesArraysAndBeatsWithTheFixedFields) {
  const json story = told(with(kWang, {"--json", "--holdings", "on"}));
  ASSERT_EQ(story["arrays"].size(), 3U);
  EXPECT_EQ(story["arrays"][0]["name"], "X");
  EXPECT_EQ(story["arrays"][0]["role"], "lhs");
  EXPECT_EQ(story["arrays"][0]["dims"], json({32, 64}));
  EXPECT_EQ(story["arrays"][0]["sharding"], "P('row','col')");
  EXPECT_EQ(story["arrays"][0]["blocks"].size(), 8U);
  EXPECT_EQ(story["arrays"][0]["blocks"][3]["name"], "a3");
  EXPECT_EQ(story["arrays"][0]["blocks"][3]["index"], json({{0, 16}, {48, 64}}));
  EXPECT_EQ(story["arrays"][0]["blocks"][3]["devices"], json({3}));
  double last = 0;
  int64_t transfers = 0;
  int64_t computes = 0;
  for (size_t b = 0; b < story["beats"].size(); ++b) {
    const json& beat = story["beats"][b];
    EXPECT_EQ(keys(beat), (std::set<std::string>{"beat", "start_s", "end_s", "computes", "transfers",
                                                 "sentences", "holdings"}));
    EXPECT_EQ(keys(beat["sentences"]), (std::set<std::string>{"idea", "moves", "program"}));
    EXPECT_EQ(beat["beat"], b);
    EXPECT_GE(beat["end_s"].get<double>(), last);
    last = beat["end_s"];
    for (const json& t : beat["transfers"]) {
      EXPECT_EQ(keys(t),
                (std::set<std::string>{"source", "target", "array", "block", "part", "parts", "bytes", "adds",
                                       "instruction", "transfer_step", "start_s", "end_s"}));
      EXPECT_TRUE(t["block"].is_string());
      EXPECT_GE(t["part"].get<int>(), 1);
      EXPECT_LE(t["part"], t["parts"]);
      ++transfers;
    }
    for (const json& c : beat["computes"]) {
      EXPECT_EQ(keys(c), (std::set<std::string>{"device", "instruction", "opcode", "start_s", "end_s"}));
      ++computes;
    }
    for (const json& h : beat["holdings"])
      EXPECT_EQ(keys(h), (std::set<std::string>{"device", "array", "index", "terms", "complete"}));
  }
  EXPECT_GT(transfers, 0);
  EXPECT_GT(computes, 0);
}

TEST(StoryCommand, BeginsWithTheInputsAndEndsWithTheWholeProduct) {
  const json story = told(with(kWang, {"--json", "--holdings", "on"}));
  const json& before = story["beats"].front();
  EXPECT_EQ(before["end_s"], 0.0);
  EXPECT_EQ(before["computes"], json::array());
  EXPECT_EQ(before["transfers"], json::array());
  EXPECT_EQ(before["holdings"].size(), 16U);  // a block of X and one of W on each of 8 devices
  std::map<int, json> whole;
  for (const json& h : story["beats"].back()["holdings"])
    if (h["array"] == "Y") whole[h["device"]] = h;
  ASSERT_EQ(whole.size(), 8U);
  EXPECT_EQ(whole[5]["index"], json({{16, 32}, {24, 48}}));
  EXPECT_EQ(whole[5]["terms"], json({{0, 64}}));
  EXPECT_EQ(whole[5]["complete"], true);
}

TEST(StoryCommand, BytesOfTransfersAreThoseOfTheRun) {
  const json story = told(with(kWang, {"--json"}));
  EXPECT_FALSE(story["beats"][1].contains("holdings"));
  int64_t bytes = 0;
  for (const json& beat : story["beats"])
    for (const json& t : beat["transfers"]) bytes += t["bytes"].get<int64_t>();
  std::vector<std::string> run = kWang;
  run[0] = "run";
  EXPECT_EQ(static_cast<double>(bytes),
            told(with(run, {"--json"}))["per_device"]["bytes_sent"].get<double>() * 8);
}

TEST(StoryCommand, BeatsAreAnExcerptAndLevelsAreSentences) {
  const json all = told(with(kWang, {"--json"}));
  const json some = told(with(kWang, {"--json", "--beats", "1..3"}));
  ASSERT_EQ(some["beats"].size(), 3U);
  for (size_t b = 0; b < 3; ++b) EXPECT_EQ(some["beats"][b], all["beats"][b + 1]);
  EXPECT_EQ(some["arrays"], all["arrays"]);
  for (const char* level : {"idea", "moves", "program"}) {
    const ProcessOutcome text = run_program(with(kWang, {"--beats", "2", "--level", level}));
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_NE(text.out.find(all["beats"][2]["sentences"][level].get<std::string>()), std::string::npos)
        << text.out;
    EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 1) << text.out;
  }
}

TEST(StoryCommand, HoldingsAreALinePerDevice) {
  const ProcessOutcome text = run_program(with(kWang, {"--beats", "0..0", "--holdings", "on"}));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("(1,3) holds a7, w7\n"), std::string::npos) << text.out;
}

TEST(StoryCommand, TellsPresetsModulesAndRecordedRunsAlike) {
  const TemporaryFolder folder;
  const std::string db = folder.file("work.shardscope");
  std::vector<std::string> run = kWang;
  run[0] = "run";
  ASSERT_EQ(run_program(with(run, {"--db", db})).exit_code, 0);
  EXPECT_EQ(told({"story", "--db", db, "--run", "1", "--json", "--holdings", "on"}),
            told(with(kWang, {"--json", "--holdings", "on"})));
  EXPECT_GT(told({"story", "wang_os_2x4", "--strategy", "wang.os", "--json"})["beats"].size(), 5U);
  const json module = told({"story", "mlp.hlo", "--json"});
  EXPECT_GT(module["beats"].size(), 3U);
  EXPECT_FALSE(module["arrays"].empty());
}

TEST(StoryCommand, ARangeIsSummedByOperation) {
  const json whole = told(with(kWang, {"--range", "all", "--json"}));
  const json run = told(with(with({"run"}, {kWang.begin() + 1, kWang.end()}), {"--json"}));
  const double total = run["simulated"]["total_s"];
  EXPECT_EQ(whole["end_s"], total);
  EXPECT_GT(whole["events"], 0);
  EXPECT_LE(whole["events"], run["events"]) << "further hops are counted with their transfers";
  double sum = 0;
  for (const char* term : {"compute_s", "exposed_s", "idle_s"}) sum += whole["terms"][term].get<double>();
  EXPECT_NEAR(sum, total, 1e-15);
  const json half = told(with(kWang, {"--range", "0.." + std::to_string(total * 1e6 / 2) + "e-6", "--json"}));
  EXPECT_GT(half["cut"], 0);
  EXPECT_LT(half["operations"][0]["busy_s"], whole["operations"][0]["busy_s"]);
  const json column = told(with(kWang, {"--range", "all", "--of", "col=1", "--json"}));
  EXPECT_EQ(column["devices"], 2);
  const ProcessOutcome text = run_program(with(kWang, {"--range", "all"}));
  EXPECT_NE(text.out.find(whole["operations"][0]["key"].get<std::string>()), std::string::npos) << text.out;
}

TEST(StoryCommand, RefusesWhatItCannotTellWithOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {with(kWang, {"--beats", "0..9999"}), "--beats"},
      {with(kWang, {"--beats", "3..1"}), "3..1"},
      {with(kWang, {"--beats", "a"}), "'a'"},
      {with(kWang, {"--beats", "-1..2"}), "-1..2"},
      {with(kWang, {"--range", "all", "--of", "col=9"}), "col 9 is not there"},
      {with(kWang, {"--of", "col=1"}), "--of"},
      {with(kWang, {"--range", "2..1"}), "'2..1' is not a range"},
      {with(kWang, {"--range", "7..8"}), "the run ends"},
      {with(kWang, {"--level", "poem"}), "idea, moves, program"},
      {with(kWang, {"--holdings", "yes"}), "on or off"},
      {{"story", "default"}, "--strategy"},
      {{"story"}, "mesh is missing"},
      {{"story", "--run", "1"}, "--db"},
      {{"story", "--db", "x.shardscope"}, "--run"},
      {{"story", "mlp.hlo", "--m", "8"}, "--m"}};
  for (const auto& [words, says] : refusals) {
    const ProcessOutcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2) << says << ": " << outcome.err;
    EXPECT_EQ(outcome.err.rfind("error: ", 0), 0U) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << says << ": " << outcome.err;
  }
  EXPECT_EQ(run_program({"story", "no/such.hlo"}).exit_code, 4);
}

// Of a strategy that is wrong on purpose, and of no other: what must hold and does not.
TEST(StoryCommand, NamesWhatABrokenStrategyBreaks) {
  const auto fused = [](const char* mesh) {
    return std::vector<std::string>{
        "story", "--strategy", "pallas.fused_as_written", "--mesh", mesh, "--m", "12", "--k", "24",
        "--n",   "24"};
  };
  const json wrong = told(with(fused("row=3,col=3"), {"--json"}));
  ASSERT_TRUE(wrong["breaks"].is_string()) << wrong["breaks"];
  const ProcessOutcome text = run_program(fused("row=3,col=3"));
  EXPECT_NE(text.out.find("breaks      " + wrong["breaks"].get<std::string>()), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("it multiplies what does not belong together"), std::string::npos) << text.out;
  EXPECT_TRUE(told(with(fused("row=2,col=2"), {"--json"})).at("breaks").is_null());
  EXPECT_NE(run_program(fused("row=2,col=2")).out.find("breaks      nothing on this mesh"),
            std::string::npos);
  EXPECT_FALSE(told(with(kWang, {"--json"})).contains("breaks"));
}

}  // namespace
}  // namespace shardscope::story_command_test
