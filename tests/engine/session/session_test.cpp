// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace shardscope::session_test {
namespace {

Experiment small_experiment() {
  Experiment e;
  e.title = "small";
  e.mesh = *Mesh::parse("row=2,col=4");
  e.problem = {32, 64, 96, ElementType::f32, ElementType::f32};
  return e;
}

RunRequest request(const std::string& strategy) {
  RunRequest r;
  r.strategy = strategy;
  return r;
}

TEST(Execute, PlansTimesAndProves) {
  const auto run = execute(small_experiment(), request("gspmd.os"), {}, {});
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ((*run)->strategy, "collective.os");
  EXPECT_TRUE((*run)->numerics.allclose);
  EXPECT_GT((*run)->timeline.total, 0);
  EXPECT_EQ((*run)->program.output->dims, (std::vector<int64_t>{32, 96}));
}

TEST(Execute, GivesTheResultArray) {
  Array result;
  ASSERT_TRUE(execute(small_experiment(), request("wang.ls"), {}, {}, &result).ok());
  EXPECT_EQ(result.dims(), (std::vector<int64_t>{32, 96}));
}

// What is asked of collectives is an option that a program of others does not use.
TEST(Execute, AnAlgorithmThatNoCollectiveGoesByIsIgnoredAndSaid) {
  RunRequest by_chain = request("psum");
  by_chain.collective = CollectiveAlgorithm::chain;
  const auto run = execute(small_experiment(), by_chain, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_EQ((*run)->ignored_options, std::vector<std::string>{"collective"});
  const std::vector<std::string>& assumed = (*run)->timeline.assumptions;
  EXPECT_TRUE(std::any_of(assumed.begin(), assumed.end(), [](const std::string& text) {
    return text.starts_with("no all-reduce goes by chain: all-reduce of 4 devices goes there by ");
  }));
  by_chain.collective = CollectiveAlgorithm::ring;
  EXPECT_TRUE((*execute(small_experiment(), by_chain, {}, {}))->ignored_options.empty());
}

TEST(Execute, RefusesBeforeAnythingRuns) {
  bool told = false;
  ExecutionOptions options;
  options.progress = [&](const Progress&) { told = true; };
  Experiment e = small_experiment();
  e.problem.n = 6;
  const auto run = execute(e, request("wang.ls"), options, {});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().kind, ErrorKind::invalid);
  EXPECT_FALSE(told);
}

TEST(Execute, AStoppedRequestIsCancelledNotFailed) {
  std::stop_source stop;
  stop.request_stop();
  const auto run = execute(small_experiment(), request("wang.os"), {}, stop.get_token());
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().kind, ErrorKind::cancelled);
}

Array bf16_sum(CollectiveAlgorithm algorithm, int threads) {
  Experiment e = small_experiment();
  e.mesh = *Mesh::parse("row=8");
  e.problem = {64, 256, 64, ElementType::bf16, ElementType::f32};
  e.fill = Fill::normal;
  e.collective = algorithm;
  ExecutionOptions options;
  options.threads = threads;
  Array result;
  const auto run = execute(e, request("megatron.row"), options, {}, &result);
  EXPECT_TRUE(run.ok() && (*run)->numerics.allclose);
  EXPECT_TRUE(run.ok() && (*run)->numerics.tolerance_max.has_value());
  return result;
}

TEST(Execute, SumsAreAddedInTheOrderOfTheAlgorithmThatWasTimed) {
  const Array ring = bf16_sum(CollectiveAlgorithm::ring, 1);
  EXPECT_FALSE(ring == bf16_sum(CollectiveAlgorithm::doubling, 1));
  EXPECT_FALSE(ring == bf16_sum(CollectiveAlgorithm::tree, 1));
  EXPECT_EQ(ring, bf16_sum(CollectiveAlgorithm::ring, 3));
}

TEST(Execute, RegionsAreAsManyAsAskedFor) {
  Experiment e = small_experiment();
  e.check.regions = {4, 3};
  const auto run = execute(e, request("psum"), {}, {});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ((*run)->numerics.region_rows, 4);
  EXPECT_EQ((*run)->numerics.region_cols, 3);
  EXPECT_EQ((*run)->numerics.regions.size(), 12U);
}

TEST(Sweep, RunsEveryStrategyOrSaysWhyNot) {
  std::vector<std::string> finished;
  ExecutionOptions options;
  options.finished = [&](const RunPtr& run) { finished.push_back(run->strategy); };
  const auto comparison = sweep(small_experiment(), options, {});
  ASSERT_TRUE(comparison.ok()) << comparison.error().text();
  EXPECT_EQ(finished.size(), comparison->runs.size());
  EXPECT_EQ(comparison->runs.size() + comparison->skipped.size(), requests_of(small_experiment()).size());
  for (const RunPtr& run : comparison->runs) EXPECT_TRUE(run->numerics.allclose) << run->strategy;
  for (const SkippedRun& skipped : comparison->skipped) {
    EXPECT_EQ(reason_against(small_experiment(), request(skipped.strategy)), skipped.reason);
  }
}

TEST(Sweep, ProgressNeverGoesBack) {
  double last = 0;
  ExecutionOptions options;
  options.progress = [&](const Progress& p) {
    EXPECT_GE(p.fraction, last - 1e-12) << p.what;
    last = p.fraction;
  };
  ASSERT_TRUE(sweep(small_experiment(), options, {}).ok());
  EXPECT_GT(last, 0.5);
  EXPECT_LE(last, 1.0);
}

TEST(Sweep, EveryTimeAndTheRankingComeBeforeTheFirstNumberAndTheBestIsProvedFirst) {
  std::vector<std::string> told;
  std::vector<RunPtr> timed, finished;
  size_t timed_when_ranked = 0;
  ExecutionOptions options;
  options.progress = [&](const Progress& p) {
    if (told.empty() || told.back() != p.what) told.push_back(p.what);
  };
  options.timed = [&](const RunPtr& run) {
    EXPECT_FALSE(run->numerics.checked) << run->strategy;
    timed.push_back(run);
  };
  options.ranked = [&] { timed_when_ranked = timed.size(); };
  options.finished = [&](const RunPtr& run) {
    EXPECT_TRUE(run->numerics.checked) << run->strategy;
    finished.push_back(run);
  };
  const Comparison done = sweep(small_experiment(), options, {}).value();
  EXPECT_EQ(timed_when_ranked, done.runs.size());
  ASSERT_EQ(finished.size(), done.runs.size());
  const std::vector<RankedRun> ranked = rank(timed);
  for (size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_EQ(finished[i]->strategy, ranked[i].run->strategy) << i;
    EXPECT_EQ(finished[i]->timeline, ranked[i].run->timeline) << i;
    const std::string words = "proving " + ranked[i].run->strategy + ", " + std::to_string(i + 1) + " of " +
                              std::to_string(ranked.size());
    EXPECT_EQ(std::count(told.begin(), told.end(), words), 1) << words;
  }
  for (size_t i = 0; i < timed.size(); ++i) EXPECT_EQ(done.runs[i]->strategy, timed[i]->strategy) << i;
}

TEST(Sweep, CancelledProofsLoseNoTime) {
  const auto workspace = Workspace::in_memory().value();
  std::stop_source stop;
  std::vector<RunPtr> timed, finished;
  ExecutionOptions options;
  options.workspace = workspace;
  options.timed = [&](const RunPtr& run) { timed.push_back(run); };
  options.finished = [&](const RunPtr& run) {
    finished.push_back(run);
    if (finished.size() == 2) stop.request_stop();
  };
  const auto done = sweep(small_experiment(), options, stop.get_token());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::cancelled);
  ASSERT_TRUE(workspace->wait().ok());
  const std::vector<RunSummary> rows = workspace->runs().value();
  ASSERT_EQ(rows.size(), timed.size());
  ASSERT_GT(rows.size(), finished.size());
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const RunSummary& r) { return r.numerics_checked(); }),
            2);
  for (const RunPtr& run : finished) EXPECT_TRUE(workspace->load(*run->id).value()->numerics.allclose);
}

TEST(Sweep, AQuickCheckComparesProductsWithNoReferenceAndFindsTheBrokenOne) {
  Experiment e = small_experiment();
  e.check.reference = "quick";
  for (const Fill fill : {Fill::integers, Fill::normal}) {
    e.fill = fill;
    const Comparison done = sweep(e, {}, {}).value();
    int quick = 0;
    for (const RunPtr& run : done.runs) {
      EXPECT_TRUE(run->numerics.allclose) << run->strategy;
      quick += run->numerics.reference == "X·(W·r)";
      EXPECT_EQ(run->numerics.reference == "X·(W·r)", run->numerics.regions.empty()) << run->strategy;
    }
    EXPECT_GT(quick, 20);
  }
  e.mesh = *Mesh::parse("row=4,col=4");
  const RunPtr broken = execute(e, request("pallas.fused_as_written"), {}, {}).value();
  EXPECT_FALSE(broken->numerics.allclose);
}

// The reference cannot be computed on this mesh, which shows when numbers are due.
TEST(Sweep, ARunWhoseNumbersCannotBeHadIsSkippedAndNotRecorded) {
  const auto workspace = Workspace::in_memory().value();
  Experiment e = small_experiment();
  e.check.reference = "cannon.os";
  e.runs = {request("collective.os"), request("wang.os")};
  std::vector<std::string> withdrawn;
  ExecutionOptions options;
  options.workspace = workspace;
  options.withdrawn = [&](const RunPtr& run) { withdrawn.push_back(run->strategy); };
  const auto done = sweep(e, options, {});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().text().find("the reference cannon.os cannot run"), std::string::npos);
  EXPECT_EQ(withdrawn.size(), 2U);
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_TRUE(workspace->runs().value().empty());
}

TEST(Sweep, WhereNothingRunsIsAnError) {
  Experiment e = small_experiment();
  e.problem = {7, 7, 7, ElementType::f32, ElementType::f32};
  e.runs.clear();
  for (const Strategy& s : strategies())  // a bare all-reduce runs at any size
    if (s.kind == StrategyKind::matmul) e.runs.push_back(request(std::string(s.id)));
  const auto comparison = sweep(e, {}, {});
  ASSERT_FALSE(comparison.ok());
  EXPECT_EQ(comparison.error().kind, ErrorKind::invalid);
}

TEST(Sweep, RecordsEachRunUnderItsOwnNumber) {
  const auto workspace = Workspace::in_memory();
  ASSERT_TRUE(workspace.ok()) << workspace.error().text();
  ExecutionOptions options;
  options.workspace = *workspace;
  Experiment e = small_experiment();
  e.runs = {request("collective.os"), request("wang.os")};
  const auto comparison = sweep(e, options, {});
  ASSERT_TRUE(comparison.ok());
  ASSERT_TRUE((*workspace)->wait().ok());
  const auto rows = (*workspace)->runs();
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(1).id, comparison->runs[1]->id);
  EXPECT_EQ(rows->at(1).strategy, "wang.os");
}

TEST(StoredOrientation, FollowsThePlan) {
  const Mesh mesh = *Mesh::parse("row=2,col=4");
  EXPECT_EQ(*stored_orientation(mesh, request("wang.os")), (StoredOrientation{false, false}));
  EXPECT_EQ(*stored_orientation(mesh, request("wang.ls")), (StoredOrientation{false, true}));
  EXPECT_EQ(*stored_orientation(mesh, request("meshslice.rs")), (StoredOrientation{true, false}));
}

TEST(Presets, EveryOneRunsAtReducedSize) {
  ExecutionOptions options;
#ifdef __SANITIZE_ADDRESS__
  options.numerics = false;  // minutes of plain arithmetic, which smaller problems run here too
#endif
  for (const ExperimentPreset& preset : experiment_presets()) {
    auto experiment = find_experiment(preset.name);
    ASSERT_TRUE(experiment.ok()) << preset.name << experiment.error().text();
    const auto reduce = [](MatmulProblem& p) {
      for (int64_t* size : {&p.m, &p.k, &p.n}) *size = *size > 1024 ? *size / 4 : *size;
    };
    reduce(experiment->problem);
    for (RunRequest& run : experiment->runs) {
      if (run.problem) reduce(*run.problem);
    }
    const auto comparison = sweep(*experiment, options, {});
    ASSERT_TRUE(comparison.ok()) << preset.name << ": " << comparison.error().text();
    EXPECT_TRUE(comparison->skipped.empty() || experiment->runs.empty())
        << preset.name << ": " << comparison->skipped.front().strategy << ": "
        << comparison->skipped.front().reason;
  }
}

TEST(Reference, AnotherStrategysResultIsComparedWithAndF64IsAlwaysShown) {
  Experiment e = small_experiment();
  e.problem = {64, 512, 64, ElementType::bf16, ElementType::bf16};
  e.fill = Fill::jax;
  e.check = {"psum", 1e-2, 1e-2, {}};
  const auto done = sweep(e, {}, {});
  ASSERT_TRUE(done.ok()) << done.error().text();
  int compared = 0;
  for (const RunPtr& run : done->runs) {
    if (!run->numerics.exact) continue;  // no product
    ++compared;
    EXPECT_EQ(run->numerics.reference, "psum") << run->strategy;
    EXPECT_GT(run->numerics.exact->reference.rel_frobenius, 1e-3);
    if (run->strategy == "psum") {
      EXPECT_EQ(run->numerics.max_abs, 0);
    }
  }
  EXPECT_GE(compared, 5);
}

TEST(Reference, AnUnknownOneIsRefusedAndOneThatCannotRunSkipsWithTheReason) {
  Experiment e = small_experiment();
  e.check.reference = "psam";
  EXPECT_FALSE(execute(e, request("psum"), {}, {}).ok());
  e.check.reference = "cannon.os";  // needs a square mesh
  const auto run = execute(e, request("psum"), {}, {});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().what.find("the reference cannon.os cannot run: "), 0U) << run.error().what;
}

}  // namespace
}  // namespace shardscope::session_test
