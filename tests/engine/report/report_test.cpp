// SPDX-License-Identifier: Apache-2.0
#include "engine/report/report.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/report/table.h"

namespace shardscope {
namespace {

// A finished run of `strategy` that takes `total` picoseconds, half of its communication hidden.
std::shared_ptr<Run> run_of(const std::string& strategy, StrategyKind kind, Picoseconds total) {
  auto run = std::make_shared<Run>();
  run->strategy = strategy;
  run->kind = kind;
  run->mesh = *Mesh::parse("row=2,col=2");
  run->problem = {8, 8, 8, ElementType::f32, ElementType::f32};
  run->hardware.name = "test-chip";
  run->timeline.devices = 4;
  run->timeline.total = total;
  run->timeline.totals.resize(4);
  for (DeviceTotals& d : run->timeline.totals) {
    d.compute = total / 2;
    d.comm = total;
    d.exposed = total / 2;
    d.bytes_sent = 1024;
    d.peak_bytes = 2048;
  }
  run->timeline.critical_path.compute = total / 4;
  run->timeline.critical_path.bandwidth = total - total / 4;
  run->numerics.checked = true;
  run->numerics.allclose = true;
  ArrayInfo output;
  output.role = ArrayRole::product;
  output.spec = P("row", "col");
  run->program.output = output;
  return run;
}

TEST(Rank, SortsMatmulsByTimeAndPutsBaselinesBehind) {
  const auto part = run_of("gather.lhs", StrategyKind::part, 1'000);
  const auto slow = run_of("collective.os", StrategyKind::matmul, 9'000);
  const auto fast = run_of("wang.os", StrategyKind::matmul, 6'000);
  const std::vector<RankedRun> ranking = rank({part, slow, fast});
  EXPECT_EQ(ranking[0].run->strategy, "wang.os");
  EXPECT_EQ(ranking[1].run->strategy, "collective.os");
  EXPECT_DOUBLE_EQ(ranking[1].ratio_to_best, 1.5);
  EXPECT_EQ(ranking[2].run->strategy, "gather.lhs");
  EXPECT_FALSE(ranking[2].ranked);
}

TEST(Rank, BreaksTiesByIdAndMarksAnotherOutputSharding) {
  const auto b = run_of("b", StrategyKind::matmul, 5);
  const auto a = run_of("a", StrategyKind::matmul, 5);
  b->program.output->spec = P("row", "");
  const std::vector<RankedRun> ranking = rank({b, a});
  EXPECT_EQ(ranking[0].run->strategy, "a");
  EXPECT_TRUE(ranking[0].same_output);
  EXPECT_FALSE(ranking[1].same_output);
}

TEST(Verdict, NamesWinnerMarginAndWhatRemainsExposed) {
  const std::string text = verdict({run_of("collective.os", StrategyKind::matmul, 9'000'000),
                                    run_of("wang.os", StrategyKind::matmul, 6'000'000)});
  EXPECT_EQ(text,
            "wang.os wins by 1.50× over collective.os: it hides 50 % of its communication behind compute; "
            "3.00 µs remain exposed, "
            "bound by bandwidth.");
}

TEST(Verdict, CallsADifferenceThatDoesNotPrintATie) {
  const std::string text = verdict(
      {run_of("wang.os", StrategyKind::matmul, 6'000'000), run_of("psum", StrategyKind::matmul, 6'010'000)});
  EXPECT_EQ(text.rfind("wang.os ties with psum at 6.00 µs: ", 0), 0U) << text;
}

TEST(Verdict, CountsWrongNumbers) {
  auto wrong = run_of("wang.os", StrategyKind::matmul, 6);
  wrong->numerics.allclose = false;
  EXPECT_NE(verdict({wrong}).find("1 of 1 runs have wrong numbers"), std::string::npos);
}

TEST(RunJson, HasEveryFixedField) {
  const auto json = nlohmann::json::parse(run_json(*run_of("wang.os", StrategyKind::matmul, 6'000)));
  for (const char* field :
       {"run_id", "strategy", "status", "mesh", "problem", "hardware", "ignored_options", "numerics",
        "simulated", "measured", "per_device", "per_device_max", "collectives", "program", "events"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  for (const char* field : {"checked", "allclose", "rtol", "atol", "max_abs", "mean_abs", "median_abs",
                            "percent_bad", "worst_index", "regions"}) {
    EXPECT_TRUE(json["numerics"].contains(field)) << field;
  }
  for (const char* field : {"total_s", "compute_s", "comm_s", "exposed_comm_s", "idle_s", "overlap", "bound",
                            "assumptions", "critical_path"}) {
    EXPECT_TRUE(json["simulated"].contains(field)) << field;
  }
  EXPECT_TRUE(json["run_id"].is_null());
  EXPECT_EQ(json["mesh"]["devices"], 4);
  EXPECT_DOUBLE_EQ(json["simulated"]["total_s"], 6e-9);
}

TEST(RunJson, WritesInfinityAsNull) {
  auto run = run_of("wang.os", StrategyKind::matmul, 6);
  run->numerics.max_abs = INFINITY;
  EXPECT_TRUE(nlohmann::json::parse(run_json(*run))["numerics"]["max_abs"].is_null());
}

TEST(SweepJson, RanksAndListsWhatWasSkipped) {
  Comparison comparison;
  comparison.runs = {run_of("collective.os", StrategyKind::matmul, 9),
                     run_of("wang.os", StrategyKind::matmul, 6), run_of("gather.lhs", StrategyKind::part, 1)};
  comparison.skipped = {{"cannon.os", "needs a square mesh"}};
  const auto json = nlohmann::json::parse(sweep_json(comparison));
  EXPECT_EQ(json["ranking"], (nlohmann::json{"wang.os", "collective.os"}));
  EXPECT_EQ(json["runs"].size(), 3U);
  EXPECT_EQ(json["skipped"][0]["reason"], "needs a square mesh");
}

TEST(Tables, LineUpInTheTerminalWhateverTheBytes) {
  Comparison comparison;
  comparison.runs = {run_of("wang.os", StrategyKind::matmul, 6'000'000),
                     run_of("collective.os", StrategyKind::matmul, 9'000'000)};
  const std::string text = plain_table(comparison_table(comparison));
  std::vector<size_t> ends;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    ends.push_back(display_width(line.substr(0, line.find("s  ", 40) + 1)));
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(ends[1], ends[2]);
}

TEST(Csv, HasAsManyCellsInEachRowAsInItsHeader) {
  Comparison comparison;
  comparison.runs = {run_of("wang.os", StrategyKind::matmul, 6)};
  const std::string csv = compare_csv(comparison);
  const auto cells = [](const std::string& line) {
    bool quoted = false;
    int count = 1;
    for (char c : line) {
      quoted = c == '"' ? !quoted : quoted;
      count += c == ',' && !quoted ? 1 : 0;
    }
    return count;
  };
  const size_t end = csv.find('\n');
  EXPECT_EQ(cells(csv.substr(0, end)), cells(csv.substr(end + 1, csv.find('\n', end + 1) - end - 1)));
}

TEST(Html, EscapesAndStandsAlone) {
  Comparison comparison;
  comparison.title = "<a & b>";
  comparison.runs = {run_of("wang.os", StrategyKind::matmul, 6)};
  const std::string html =
      compare_html(comparison, {{"Timeline", "<?xml version=\"1.0\"?><svg width=\"3\"></svg>"}});
  EXPECT_NE(html.find("&lt;a &amp; b&gt;"), std::string::npos);
  EXPECT_NE(html.find("<figure><svg width=\"3\"></svg></figure>"), std::string::npos);
  EXPECT_EQ(html.find("http"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace shardscope
