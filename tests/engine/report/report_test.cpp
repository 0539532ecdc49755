// SPDX-License-Identifier: Apache-2.0
#include "engine/report/report.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/report/document/writers.h"
#include "engine/report/error_growth_text.h"
#include "engine/report/table.h"
#include "tests/engine/report/plain_run.h"

namespace shardscope::report_test {
namespace {

TEST(RunText, OneStepIsNotSeveral) {
  const auto run = run_of("collective.os", StrategyKind::matmul, 9'000);
  CollectiveSummary gather;
  gather.opcode = "all-gather";
  gather.axis = "col";
  gather.algorithm = "ring";
  gather.count = gather.steps = 1;
  run->timeline.collectives = {gather, gather};
  run->timeline.collectives[1].steps = 3;
  EXPECT_NE(run_text(*run).find("over col, ring: 1 step, sent by a device 0 B"), std::string::npos)
      << run_text(*run);
  EXPECT_NE(run_text(*run).find("over col, ring: 3 steps, sent by a device 0 B"), std::string::npos)
      << run_text(*run);
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

// Split over one axis of two, an input lies on the two devices of the other; split over both, on one each.
TEST(Rank, SaysWhichInputsBeginOnSeveralDevices) {
  const auto run = run_of("megatron.column", StrategyKind::matmul, 5);
  run->program.mesh = run->mesh;
  ArrayInfo x;
  x.spec = P("row", "");
  ArrayInfo w;
  w.role = ArrayRole::rhs;
  w.spec = P("row", "col");
  run->program.inputs = {x, w};
  EXPECT_EQ(rank({run})[0].replicated_inputs, "X on 2 devices");
  run->program.inputs[0].spec = P("row", "col");
  EXPECT_EQ(rank({run})[0].replicated_inputs, "");
}

TEST(Rank, StrategiesOfSeveralProductsAreRankedAmongThoseThatComputeTheSame) {
  const auto mlp = run_of("megatron.mlp", StrategyKind::example, 9),
             sequence = run_of("megatron.sequence", StrategyKind::example, 6),
             chain = run_of("chain.wang", StrategyKind::example, 3);
  const std::vector<RankedRun> ranking = rank({mlp, sequence, chain});
  EXPECT_TRUE(std::ranges::all_of(ranking, &RankedRun::ranked));
  EXPECT_EQ(ranking[0].run->strategy, "chain.wang");
  EXPECT_EQ(ranking[2].run->strategy, "megatron.mlp");
  EXPECT_DOUBLE_EQ(ranking[2].ratio_to_best, 1.5) << "a chain is another problem";
  EXPECT_NE(verdict({mlp, sequence}).find("megatron.sequence beats megatron.mlp"), std::string::npos);
  const auto product = run_of("wang.os", StrategyKind::matmul, 9);
  EXPECT_FALSE(rank({product, mlp})[1].ranked) << "beside products they are examples";
}

TEST(Skipped, IsNamedOnce) {
  EXPECT_EQ(reason_alone({"2.5d", "2.5d: needs 3 mesh axes"}), "needs 3 mesh axes");
  EXPECT_EQ(reason_alone({"3d", "x must divide m"}), "x must divide m");
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

TEST(RunJson, AChoiceMadeSeveralTimesIsAList) {
  auto run = run_of("auto", StrategyKind::matmul, 6);
  run->program.choices = {
      {"slices", "8"}, {"alternative", "one"}, {"alternative", "two"}, {"alternative", "three"}};
  const auto options = nlohmann::json::parse(run_json(*run))["options"];
  EXPECT_EQ(options["slices"], 8);
  EXPECT_EQ(options["alternative"], (std::vector<std::string>{"one", "two", "three"}));
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
  ReportParts parts;
  parts.figures = {{"why", {"timeline", "Timeline", "of all", 0}}};
  const std::string html =
      report_html(make_report(comparison, parts), {"<?xml version=\"1.0\"?><svg width=\"3\"></svg>"});
  EXPECT_NE(html.find("&lt;a &amp; b&gt;"), std::string::npos);
  EXPECT_NE(html.find("<figure class=\"still\" id=\"timeline\"><svg width=\"3\"></svg><figcaption>"),
            std::string::npos);
  for (const char* outside : {"src=", "href=\"http", "@import"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  EXPECT_EQ(html.find("<script>"), html.rfind("<script")) << "the player's alone";
}

TEST(Fits, ARunTooBigForTheChipIsRankedAndMarkedEverywhere) {
  const auto big = run_of("wang.os", StrategyKind::matmul, 5);
  const auto small = run_of("psum", StrategyKind::matmul, 6);
  big->hardware.memory.hbm_bytes = 1024;
  small->hardware.memory.hbm_bytes = 1e9;
  const Comparison comparison{"", {big, small}, {}};
  const std::string text = ranking_text(comparison);
  EXPECT_NE(text.find("2.0 KiB > HBM"), std::string::npos) << text;
  EXPECT_NE(text.find("It does not fit the memory of test-chip. 1 of 2 runs does not fit."), std::string::npos);
  EXPECT_NE(report_html(make_report(comparison, {}), {}).find("2.0 KiB &gt; HBM"), std::string::npos);
  EXPECT_NE(run_text(*big).find("does NOT fit the chip's 1.0 KiB of HBM"), std::string::npos);
  const auto json = nlohmann::json::parse(sweep_json(comparison));
  EXPECT_EQ(json["ranking"], (std::vector<std::string>{"wang.os", "psum"}));
  EXPECT_EQ(json["runs"][0]["fits"], false);
  EXPECT_EQ(json["runs"][0]["hbm_bytes"], 1024);
  EXPECT_EQ(json["runs"][1]["fits"], true);
}

TEST(Fits, IsNullWhenTheMemoryIsNotPublished) {
  const auto run = run_of("psum", StrategyKind::matmul, 5);
  const auto json = nlohmann::json::parse(run_json(*run));
  EXPECT_TRUE(json["fits"].is_null());
  EXPECT_TRUE(json["hbm_bytes"].is_null());
  EXPECT_EQ(ranking_text({"", {run}, {}}).find("HBM"), std::string::npos);
}

TEST(AnotherReference, DiffersInsteadOfWrongAndSaysWhichSideIsOff) {
  const auto run = run_of("pallas.ag_slice_psum_f32", StrategyKind::matmul, 5);
  NumericsReport& n = run->numerics;
  n.allclose = false;
  n.percent_bad = 4.65;
  n.max_abs = 0.96;
  n.smallest_atol = 0.4627;
  n.reference = "pallas.permute_psum";
  n.worst_index = {1, 2};
  n.exact = ExactComparison{{2.5e-8, 1e-6, 1e-5},
                            {2.45e-3, 0.1, 0.96},
                            {3, 4},
                            0.1,
                            0.5,
                            0.1,
                            {65.2, -65.1},
                            "The reference is the less accurate side."};
  const Comparison comparison{"", {run}, {}};
  EXPECT_NE(ranking_text(comparison).find("differs (4.7 % bad against pallas.permute_psum)"),
            std::string::npos)
      << ranking_text(comparison);
  EXPECT_EQ(ranking_text(comparison).find("wrong"), std::string::npos);
  for (const std::string& text : {run_text(*run), report_html(make_report(comparison, {}), {})})
    EXPECT_NE(text.find("The reference is the less accurate side."), std::string::npos) << text;
  const auto json = nlohmann::json::parse(run_json(*run))["numerics"];
  EXPECT_EQ(json["reference"], "pallas.permute_psum");
  EXPECT_EQ(json["smallest_atol"], 0.4627);
  EXPECT_EQ(json["exact"]["rel_frobenius"], 2.5e-8);
  EXPECT_EQ(json["exact"]["reference_rel_frobenius"], 2.45e-3);
  EXPECT_EQ(json["exact"]["index"], (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(json["exact"]["partials"].size(), 2U);
}

TEST(Tolerance, IsToldAsOneOfRoundingsWhereThoseCount) {
  const auto run = run_of("psum", StrategyKind::matmul, 5);
  run->numerics.percent_above_0_1 = 12.5;
  auto json = nlohmann::json::parse(run_json(*run))["numerics"];
  EXPECT_EQ(json["percent_above_0_1"], 12.5);
  EXPECT_FALSE(json.contains("tolerance"));
  EXPECT_EQ(run_text(*run).find("roundings"), std::string::npos);
  run->numerics.tolerance_max = 0.625;
  json = nlohmann::json::parse(run_json(*run))["numerics"];
  EXPECT_EQ(json["tolerance"], "rounding");
  EXPECT_EQ(json["tolerance_max"], 0.625);
  EXPECT_NE(run_text(*run).find("with the program's roundings up to 0.625"), std::string::npos);
}

TEST(ErrorGrowthText, HasARowPerModeAndAColumnPerLength) {
  const ErrorGrowth growth{7,
                           4096,
                           {{"a", "f32 throughout", "u", "a", {{16, 1e-3, 2e-3}}},
                            {"b", "bf16", "u·√k", "b", {{16, 3e-3, 3e-3}, {64, 5e-3, 6e-3}}}}};
  const std::string text = error_growth_text(growth);
  EXPECT_NE(text.find("k = 16"), std::string::npos);
  EXPECT_NE(text.find("5.00e-03 (6.00e-03)"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(error_growth_json(growth));
  EXPECT_EQ(json["curves"][1]["points"][1]["error"], 5e-3);
  EXPECT_EQ(json["samples"], 4096);
}

}  // namespace
}  // namespace shardscope::report_test
