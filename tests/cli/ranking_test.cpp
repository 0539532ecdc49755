// SPDX-License-Identifier: Apache-2.0
// Who is ranked with whom and why, as sweep and compare print it; and when wrong numbers are an exit code.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace shardscope::cli_ranking_test {
namespace {

using nlohmann::json;

const std::string kModules = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/";

json printed(const std::vector<std::string>& words, int exit_code = 0) {
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return json::parse(outcome.out);
}

json swept_default() {
  return printed({"sweep", "default", "--numerics", "off", "--json"});
}

TEST(CliRanking, TheFlatOneGoesByTimeAndPriceAndEachGroupByTime) {
  const json sweep = swept_default();
  std::map<std::string, json> runs;
  for (const json& run : sweep["runs"]) runs[run["strategy"]] = run;
  double last = 0;
  for (const json& id : sweep["ranking"]) {
    const json& run = runs[id];
    const double priced = run["simulated"]["total_s"].get<double>() + run["price_s"].get<double>();
    EXPECT_GE(priced, last) << id;
    last = priced;
  }
  std::set<std::string> grouped;
  for (const json& group : sweep["groups"]) {
    double before = 0;
    for (const json& id : group["ranking"]) {
      const json& run = runs[id];
      EXPECT_TRUE(grouped.insert(id).second) << id << " is in two groups";
      EXPECT_EQ(run["group"], group["name"]);
      EXPECT_EQ(run["output_sharding"], group["output"]) << id;
      EXPECT_GE(run["simulated"]["total_s"], before) << id;
      before = run["simulated"]["total_s"];
    }
    EXPECT_EQ(group["inputs"].size(), 2U) << group;
  }
  EXPECT_EQ(grouped, sweep["ranking"].get<std::set<std::string>>());
  EXPECT_EQ(runs["collective.os"]["price_s"], 0.0);
  EXPECT_EQ(runs["collective.os"]["price"], json::array());
  EXPECT_GT(runs["megatron.column"]["price_s"], 0.0);
  EXPECT_EQ(runs["megatron.column"]["price"][0]["what"], "gather");
  EXPECT_EQ(runs["megatron.column"]["price"][0]["array"], "X");
  EXPECT_EQ(runs["megatron.column"]["price"][0]["when"], "before");
  EXPECT_TRUE(runs["gather.lhs"]["price_s"].is_null()) << "a part is not a rival";
}

TEST(CliRanking, TheTablesBehindTheVerdictAddUp) {
  const json difference = swept_default()["difference"];
  for (const char* whose : {"winner_s", "other_s", "difference_s"}) {
    for (const char* table : {"terms", "parts", "operations"}) {
      double sum = 0;
      for (const json& row : difference[table]) sum += row[whose].get<double>();
      EXPECT_NEAR(sum, difference["total"][whose].get<double>(), 1e-15) << table << " " << whose;
    }
  }
  EXPECT_NEAR(
      difference["difference_s"].get<double>(),
      difference["total"]["difference_s"].get<double>() + difference["price"]["difference_s"].get<double>(),
      1e-15);
}

TEST(CliRanking, TextMarkdownCsvAndJsonSayOneVerdict) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope");
  const json sweep = printed({"sweep", "teaching", "--db", db, "--json"});
  const auto verdict = sweep["verdict"].get<std::string>();
  EXPECT_EQ(verdict.find("hides"), std::string::npos);
  EXPECT_NE(run_program({"sweep", "teaching"}).out.find(verdict), std::string::npos);
  const auto compared = [&](const std::string& format) {
    return run_program({"compare", "--db", db, "--runs", "1,2,3,4", "--format", format}).out;
  };
  EXPECT_NE(compared("md").find(verdict), std::string::npos);
  const json compare = json::parse(compared("json"));
  EXPECT_EQ(compare["verdict"], verdict);
  EXPECT_EQ(compare["ranking"], sweep["ranking"]);
  EXPECT_EQ(compare["groups"], sweep["groups"]);
  EXPECT_EQ(compare["difference"], sweep["difference"]);
  const std::string csv = compared("csv");
  for (const char* column : {"compute_s", "exposed_comm_s", "idle_s", "group", "ratio_in_group", "price_s"})
    EXPECT_NE(csv.find(column), std::string::npos) << column;
  for (const char* column : {"layouts", "compute", "exposed", "idle", "resharding"}) {
    EXPECT_NE(compared("md").find(std::string("| ") + column + " |"), std::string::npos) << column;
    EXPECT_NE(compared("html").find(std::string(">") + column + "</th>"), std::string::npos) << column;
  }
}

TEST(CliRanking, RunsOfOneModuleAreRankedAmongThemselves) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope");
  for (const std::vector<std::string>& more : {std::vector<std::string>{kModules + "mlp.hlo"},
                                               {kModules + "mlp.hlo", "--hardware", "tpu-v4"},
                                               {kModules + "batch_matmul.hlo"}}) {
    std::vector<std::string> words = {"hlo", "run", "--db", db};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessOutcome outcome = run_program(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  const json compare = printed({"compare", "--db", db, "--runs", "1,2,3", "--format", "json"});
  ASSERT_EQ(compare["ranking"].size(), 3U) << compare["ranking"];
  std::map<int, json> rows;
  for (const json& row : compare["comparison"]) rows[row["run_id"]] = row;
  const auto total = [&](int run) {
    return compare["runs"][static_cast<size_t>(run - 1)]["simulated"]["total_s"].get<double>();
  };
  const double best = std::min(total(1), total(2));
  EXPECT_NEAR(rows[1]["ratio_to_best"].get<double>(), total(1) / best, 1e-12);
  EXPECT_NEAR(rows[2]["ratio_to_best"].get<double>(), total(2) / best, 1e-12);
  EXPECT_EQ(rows[3]["ratio_to_best"], 1.0) << "another module is not a rival";
  EXPECT_NE(rows[1]["group"], rows[2]["group"]) << "another chip is another group";
}

TEST(CliExit, WrongNumbersOfARunThatWasNamedAre3) {
  const std::vector<std::string> small = {"--mesh", "x=3,y=3", "--m", "18", "--k", "18", "--n", "9"};
  const auto exit_of = [&](std::vector<std::string> words) {
    words.insert(words.end(), small.begin(), small.end());
    return run_program(words).exit_code;
  };
  EXPECT_EQ(exit_of({"run", "--strategy", "pallas.fused_as_written"}), 3);
  EXPECT_EQ(exit_of({"sweep", "--strategies", "pallas.ring,pallas.fused_as_written"}), 3);
  EXPECT_EQ(exit_of({"sweep", "--strategies", "pallas.ring"}), 0);
  EXPECT_EQ(exit_of({"sweep", "--strategies", "all"}), 0) << "it only runs when it is named";
  EXPECT_EQ(exit_of({"run", "--strategy", "pallas.fused_as_written", "--numerics", "off"}), 0);
}

}  // namespace
}  // namespace shardscope::cli_ranking_test
