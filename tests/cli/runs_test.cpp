// SPDX-License-Identifier: Apache-2.0
// `shardscope runs` as a user types it, and names, tags and notes of runs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::runs_command_test {
namespace {

using nlohmann::json;

class RunsCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    add("wang.os", {"--name", "baseline", "--tag", "paper", "--tag", "slow", "--note", "for the talk"});
    add("collective.os", {});
  }
  void add(const std::string& strategy, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", "--strategy", strategy,     "--mesh", "row=2,col=4", "--m",
                                          "64",  "--k",        "64",         "--n",    "64",          "--db",
                                          db,    "--json",     "--numerics", "off"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessOutcome outcome = run_program(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    made.push_back(json::parse(outcome.out));
  }
  json list(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"runs", "--db", db, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessOutcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["runs"];
  }
  const TemporaryFolder folder;
  const std::string db = folder.file("a.shardscope");
  std::vector<json> made;
};

TEST_F(RunsCommand, ListsRunsWithWhatTheirUserSaysOfThem) {
  EXPECT_EQ(made[0]["name"], "baseline");
  const json runs = list({"--sort", "id"});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["name"], "baseline");
  EXPECT_EQ(runs[0]["tags"], json({"paper", "slow"}));
  EXPECT_EQ(runs[0]["note"], "for the talk");
  EXPECT_EQ(runs[0]["time"], made[0]["simulated"]["total_s"]);
  EXPECT_EQ(runs[1]["name"], "");
  const ProcessOutcome text = run_program({"runs", "--db", db});
  EXPECT_NE(text.out.find("baseline"), std::string::npos) << text.out;
  const ProcessOutcome report = run_program({"compare", "--db", db, "--runs", "1,2"});
  EXPECT_NE(report.out.find("wang.os (baseline)"), std::string::npos) << report.out;
}

TEST_F(RunsCommand, FiltersSortsAndGroups) {
  EXPECT_EQ(list({"--filter", "tag:paper"}).size(), 1U);
  EXPECT_EQ(list({"--filter", "-wang"})[0]["strategy"], "collective.os");
  EXPECT_EQ(list({"--sort", "id", "--descending"})[0]["id"], 2);
  const ProcessOutcome groups = run_program({"runs", "--db", db, "--group", "strategy"});
  EXPECT_NE(groups.out.find("wang.os: 1 run"), std::string::npos) << groups.out;
  const ProcessOutcome wrong = run_program({"runs", "--db", db, "--filter", "tme<5us"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("there is no column 'tme'; filter:1; did you mean time"), std::string::npos)
      << wrong.err;
}

TEST_F(RunsCommand, LabelsARunThatIsThere) {
  list({"--label", "2", "--name", "second", "--tag", "new"});
  const json runs = list({"--sort", "id"});
  EXPECT_EQ(runs[1]["name"], "second");
  EXPECT_EQ(runs[1]["tags"], json({"new"}));
  EXPECT_EQ(runs[0]["name"], "baseline") << "the others stay as they were";
  EXPECT_EQ(run_program({"runs", "--db", db, "--label", "9", "--name", "x"}).exit_code, 2);
  EXPECT_EQ(run_program({"runs", "--db", db, "--name", "x"}).exit_code, 2);
  EXPECT_EQ(run_program({"runs", "--db", folder.file("none.shardscope")}).exit_code, 4);
}

}  // namespace
}  // namespace shardscope::runs_command_test
