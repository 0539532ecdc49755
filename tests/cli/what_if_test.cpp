// SPDX-License-Identifier: Apache-2.0
// `shardscope what-if` as a user types it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace shardscope::what_if_command_test {
namespace {

using nlohmann::json;

// A workspace with one run of wang.os.
class WhatIfCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProcessOutcome made =
        run_program({"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m", "1024", "--k", "3072",
                     "--n", "512", "--numerics", "off", "--db", db_, "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    run_ = json::parse(made.out);
  }

  ProcessOutcome ask(std::vector<std::string> words) const {
    words.insert(words.begin(), {"what-if", "--db", db_, "--run", "1"});
    return run_program(words);
  }
  json answer(std::vector<std::string> words) const {
    words.push_back("--json");
    const ProcessOutcome outcome = ask(std::move(words));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }

  TemporaryFolder folder_;
  std::string db_ = folder_.file("w.shardscope");
  json run_;
};

double sum(const json& rows, size_t of) {
  double out = 0;
  for (const json& row : rows) out += row["values_s"][of].get<double>();
  return out;
}

TEST_F(WhatIfCommand, WithoutAKnobIsTheRun) {
  const json a = answer({});
  EXPECT_EQ(a["base_s"], run_["simulated"]["total_s"]);
  EXPECT_EQ(a["total_s"], a["base_s"]);
  EXPECT_EQ(a["delta_s"], 0);
  EXPECT_EQ(a["memory"]["peak_bytes"], run_["per_device_max"]["peak_bytes"]);
  EXPECT_EQ(a["fits"], true);
  EXPECT_EQ(a["sensitivity"], nullptr);
}

TEST_F(WhatIfCommand, TermsAndPartsAddUpToBothTotals) {
  const json a = answer({"--link", "col=x2", "--latency", "0", "--peak", "x1.5", "--slow-device", "3=0.5"});
  EXPECT_EQ(a["asked"],
            json({"--slow-device", "3=0.5", "--link", "col=x2", "--latency", "0", "--peak", "x1.5"}));
  for (const char* table : {"terms", "parts"}) {
    EXPECT_NEAR(sum(a[table], 0), a["base_s"], 1e-14);
    EXPECT_NEAR(sum(a[table], 1), a["total_s"], 1e-14);
  }
  EXPECT_NEAR(a["total_s"].get<double>() - a["base_s"].get<double>(), a["delta_s"], 1e-14);
}

TEST_F(WhatIfCommand, SensitivitiesAreSortedByWhatTheyGive) {
  const json rows = answer({"--sensitivity"})["sensitivity"];
  std::set<std::string> parameters;
  for (size_t i = 0; i < rows.size(); ++i) {
    parameters.insert(rows[i]["parameter"]);
    EXPECT_TRUE(rows[i]["stops_at"].is_null() || rows[i]["stops_at"].is_number());
    EXPECT_GE(rows[i]["value"], 0);
    EXPECT_LE(rows[i > 0 ? i - 1 : 0]["plus10_s"], rows[i]["plus10_s"]);
  }
  EXPECT_EQ(parameters, (std::set<std::string>{"link row", "link col", "peak", "hbm", "latency", "launch"}));
  EXPECT_LT(rows[0]["plus10_s"], 0);
}

TEST_F(WhatIfCommand, ATextSaysTheSame) {
  const ProcessOutcome outcome = ask({"--link", "col=0", "--sensitivity"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("wang.os, what if --link col=0"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("exposed"), std::string::npos);
  EXPECT_NE(outcome.out.find("fits the chip's"), std::string::npos);
}

TEST_F(WhatIfCommand, EventsAndOperationsTakeNoTimeWhenAsked) {
  EXPECT_LE(answer({"--event", "0=0"})["total_s"], run_["simulated"]["total_s"]);
  const ProcessOutcome unknown = ask({"--op", "nothing.1=0"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("there is no operation 'nothing.1'"), std::string::npos) << unknown.err;
}

TEST_F(WhatIfCommand, AWrongQuestionIsRefusedWithItsReason) {
  const auto refused = [&](std::vector<std::string> words, const char* reason) {
    const ProcessOutcome outcome = ask(std::move(words));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  };
  refused({"--link", "depth=x2"}, "the links are row, col");
  refused({"--link", "col=-2"}, "'-2' is not a factor");
  refused({"--link", "col=x0"}, "cannot reach each other");
  refused({"--latency", "x-1"}, "neither a factor nor a number");
  refused({"--peak", "0"}, "nothing runs at 0");
  refused({"--event", "99999=0"}, "there is no event 99999");
  refused({"--event", "3=1"}, "does not say what has zero cost");
  refused({"--slow-device", "8=0.5"}, "no chip 8");
  EXPECT_EQ(run_program({"what-if", "--db", db_, "--run", "7"}).exit_code, 2);
  EXPECT_EQ(run_program({"what-if", "--db", folder_.file("none"), "--run", "1"}).exit_code, 4);
}

// The same question as a run of its own.
TEST_F(WhatIfCommand, ARunOnTheChangedMachineTakesThatTime) {
  const std::vector<std::string> knobs = {"--link", "col=x2,row=x0.5", "--hbm", "x2", "--launch", "1e-6"};
  std::vector<std::string> words = {"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m", "1024",
                                    "--k", "3072",       "--n",     "512",    "--numerics",  "off", "--json"};
  words.insert(words.end(), knobs.begin(), knobs.end());
  const ProcessOutcome made = run_program(words);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(json::parse(made.out)["simulated"]["total_s"], answer(knobs)["total_s"]);
}

}  // namespace
}  // namespace shardscope::what_if_command_test
