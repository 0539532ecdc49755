// SPDX-License-Identifier: Apache-2.0
// One ranking: the window's table, the report and the sweep's JSON say the same of the same runs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/window/runs/runs_model.h"
#include "engine/program/text/hlo_text.h"
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
  module.check = false;
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
  const auto json = nlohmann::json::parse(compare_json(comparison));
  std::vector<std::string> ranking;
  const std::vector<RankedRun> report = rank(comparison.runs);
  for (size_t place = 0; place < report.size(); ++place) {
    const RankedRun& r = report[place];
    if (r.ranked) ranking.push_back(r.run->strategy);
    EXPECT_EQ(r.ranked, r.run->kind == StrategyKind::matmul) << r.run->strategy;
    EXPECT_EQ(json["comparison"][place]["strategy"], r.run->strategy);
    EXPECT_EQ(json["comparison"][place]["ranked"], r.ranked);
    EXPECT_EQ(json["comparison"][place]["ratio_to_best"], r.ratio_to_best);
    const auto row = static_cast<int>(r.place);
    const QString shown = model.data(model.index(row, RunsModel::ratio), Qt::DisplayRole).toString();
    EXPECT_EQ(shown.toStdString(), r.ranked ? format_ratio(r.ratio_to_best) : "–");
    const double key = model.data(model.index(row, RunsModel::ratio), RunsModel::kSortRole).toDouble();
    if (r.ranked) {
      EXPECT_EQ(key, r.ratio_to_best);
    }
  }
  EXPECT_EQ(json["ranking"].get<std::vector<std::string>>(), ranking);
}

TEST(OneRanking, RivalsShareSizesDtypeAndLabel) {
  RunSummary y;
  y.strategy = "a";
  y.status = name(RunStatus::done);
  y.m = y.k = y.n = 8;
  y.dtype = "f32";
  y.total = 200;
  RunSummary faster = y, gradient = y, half = y, cancelled = y;
  faster.strategy = "b";
  faster.total = 100;
  gradient.label = "dX";
  half.dtype = "bf16";
  cancelled.status = name(RunStatus::cancelled);
  cancelled.total = 10;
  const std::vector<RunSummary> runs = {y, faster, gradient, half, cancelled};
  std::vector<double> ratios(runs.size());
  for (const Rank& r : rank(runs)) {
    ratios[r.place] = r.ratio_to_best;
    EXPECT_EQ(r.ranked, r.place != 4);
  }
  EXPECT_EQ(ratios, (std::vector<double>{2, 1, 1, 1, 0.1}));
  EXPECT_EQ(rank(runs).front().place, 1U);
}

}  // namespace
}  // namespace shardscope
