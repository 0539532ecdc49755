// SPDX-License-Identifier: Apache-2.0
// One ranking: the window's table, the report and the sweep's JSON say the same of the same runs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/window/results/runs_model.h"
#include "engine/program/text/hlo_text.h"
#include "engine/report/document/writers.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_run.h"
#include "engine/session/session.h"

namespace shardscope {
namespace {

// Runs of every kind of strategy and a module of HLO, recorded.
Comparison runs_of_every_kind(const std::shared_ptr<Workspace>& workspace) {
  Experiment experiment = find_experiment("all_4x4").value();  // broken ones need a square
  experiment.runs.clear();
  for (const StrategyKind kind :
       {StrategyKind::matmul, StrategyKind::part, StrategyKind::example, StrategyKind::broken}) {
    size_t taken = 0;
    for (const Strategy& strategy : strategies()) {
      RunRequest request;
      request.strategy = strategy.id;
      if (strategy.kind != kind || taken == 3 || reason_against(experiment, request)) continue;
      experiment.runs.push_back(request);
      ++taken;
    }
    EXPECT_GE(taken, 1U) << name(kind);
  }
  ExecutionOptions options;
  options.numerics = false;
  options.workspace = workspace;
  Comparison out = sweep(experiment, options, {}).value();
  ModuleRunOptions module;
  module.check = CheckMode::off;
  module.workspace = workspace;
  const Program program = parse_program(hlo_presets().front().text).value();
  out.runs.push_back(execute_module(program, module, {}).value().run);
  return out;
}

TEST(OneRanking, WindowReportAndJsonSayTheSameOfEveryKind) {
  const auto workspace = Workspace::in_memory().value();
  const Comparison comparison = runs_of_every_kind(workspace);
  ASSERT_TRUE(workspace->wait().ok());
  const std::vector<RunSummary> stored = workspace->runs().value();
  ASSERT_EQ(stored.size(), comparison.runs.size());
  for (size_t i = 0; i < stored.size(); ++i) EXPECT_EQ(stored[i], summary_of(*comparison.runs[i]));

  RunsModel model;
  model.setRows(stored, {}, {});
  const auto json = nlohmann::json::parse(report_json(comparison, {}));
  std::vector<std::string> ranking;
  const std::vector<RankedRun> report = rank(comparison.runs);
  for (size_t place = 0; place < report.size(); ++place) {
    const RankedRun& r = report[place];
    if (r.ranked) ranking.push_back(ranked_name(*r.run));
    EXPECT_EQ(r.ranked, r.run->kind == StrategyKind::matmul || r.run->module) << r.run->strategy;
    EXPECT_EQ(json["comparison"][place]["strategy"], r.run->strategy);
    EXPECT_EQ(json["comparison"][place]["ranked"], r.ranked);
    EXPECT_EQ(json["comparison"][place]["ratio_to_best"], r.ratio_to_best);
    EXPECT_EQ(json["comparison"][place]["ratio_in_group"], r.ratio_in_group);
    const auto row = static_cast<int>(r.place);
    const auto cell = [&](int column) {
      return model.data(model.index(row, column), Qt::DisplayRole).toString().toStdString();
    };
    EXPECT_EQ(cell(RunsModel::group), r.group ? group_name(*r.group) : "–");
    EXPECT_EQ(cell(RunsModel::groupRatio), r.group ? format_ratio(r.ratio_in_group) : "–");
    EXPECT_EQ(cell(RunsModel::price),
              r.ranked && r.run->price ? format_picoseconds(r.run->price->total()) : "–");
    EXPECT_EQ(cell(RunsModel::compute), format_seconds(summarise(r.run->timeline).compute_s));
    EXPECT_EQ(cell(RunsModel::idle), format_seconds(summarise(r.run->timeline).idle_s));
    const QString shown = model.data(model.index(row, RunsModel::ratio), Qt::DisplayRole).toString();
    EXPECT_EQ(shown.toStdString(), r.ranked ? format_ratio(r.ratio_to_best) : "–");
    const double key = model.data(model.index(row, RunsModel::ratio), RunsModel::kSortRole).toDouble();
    if (r.ranked) {
      EXPECT_EQ(key, r.ratio_to_best);
    }
  }
  EXPECT_EQ(json["ranking"].get<std::vector<std::string>>(), ranking);
}

TEST(OneRanking, RivalsShareSizesAndDtypeWhateverTheirLabels) {
  RunSummary y;
  y.strategy = "a";
  y.status = name(RunStatus::done);
  y.m = y.k = y.n = 8;
  y.dtype = "f32";
  y.total = 200;
  RunSummary faster = y, wide = y, half = y, cancelled = y;
  faster.strategy = "b";
  faster.total = 100;
  wide.label = "wide panels";
  half.dtype = "bf16";
  cancelled.status = name(RunStatus::cancelled);
  cancelled.total = 10;
  const std::vector<RunSummary> runs = {y, faster, wide, half, cancelled};
  std::vector<double> ratios(runs.size());
  for (const Rank& r : rank(runs)) {
    ratios[r.place] = r.ratio_to_best;
    EXPECT_EQ(r.ranked, r.place != 4);
  }
  EXPECT_EQ(ratios, (std::vector<double>{2, 1, 2, 1, 0.1}));
  EXPECT_EQ(rank(runs).front().place, 1U);
}

TEST(OneRanking, APriceCountsAcrossGroupsAndNotInsideOne) {
  RunSummary own;
  own.strategy = "own";
  own.status = name(RunStatus::done);
  own.m = own.k = own.n = 8;
  own.dtype = "f32";
  own.total = 200;
  own.group = "one";
  own.price = 0;
  RunSummary dear = own, cheap = own, unknown = own;
  dear.strategy = "dear";
  dear.total = 100;
  dear.group = "two";
  dear.price = 150;
  cheap.strategy = "cheap";
  cheap.total = 120;
  cheap.group = "two";
  cheap.price = 150;
  unknown.strategy = "unknown";
  unknown.total = 10;
  unknown.group = "three";
  unknown.price.reset();
  const std::vector<RunSummary> runs = {cheap, dear, own, unknown};
  const std::vector<Rank> ranking = rank(runs);
  std::vector<size_t> order;
  for (const Rank& r : ranking) order.push_back(r.place);
  EXPECT_EQ(order, (std::vector<size_t>{2, 1, 0, 3}))
      << "own 200, dear 250, cheap 270, the price of unknown is not known";
  EXPECT_EQ(ranking[1].ratio_to_best, 1.25);
  EXPECT_EQ(ranking[1].ratio_in_group, 1);
  EXPECT_EQ(ranking[2].ratio_in_group, 1.2);
  EXPECT_EQ(ranking[2].best_in_group, 1U);
  EXPECT_EQ(group_name(*ranking[0].group) + group_name(*ranking[1].group) + group_name(*ranking[3].group),
            "ABC");
}

TEST(OneRanking, ModulesAreRivalsOfTheirLike) {
  RunSummary add;
  add.strategy = "hlo";
  add.kind = StrategyKind::example;
  add.status = name(RunStatus::done);
  add.label = "jit_add";
  add.signature = "(f32[8]) -> (f32[8]) on 4 devices";
  add.total = 100;
  RunSummary slower = add, other = add, wider = add, strategy = add;
  slower.total = 300;
  slower.m = 7;  // its first product is cut otherwise
  other.label = "jit_multiply";
  wider.signature = "(f32[8]) -> (f32[8]) on 8 devices";
  strategy.signature.clear();
  const std::vector<RunSummary> runs = {slower, add, other, wider, strategy};
  for (const Rank& r : rank(runs)) {
    EXPECT_EQ(r.ranked, r.place != 4) << "an example is not ranked";
    EXPECT_EQ(r.ratio_to_best, r.place == 0 ? 3 : 1) << r.place;
  }
}

TEST(GroupName, CountsOnBehindZ) {
  EXPECT_EQ(group_name(0) + group_name(25) + group_name(26) + group_name(27 + 26), "AZAABB");
}

}  // namespace
}  // namespace shardscope
