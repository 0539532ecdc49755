// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_over.h"

#include <gtest/gtest.h>

#include "engine/session/session.h"
#include "tests/engine/request/every_field.h"

namespace shardscope::sweep_over_test {
namespace {

Experiment small() {
  Experiment e;
  e.mesh = *Mesh::parse("row=2,col=4");
  e.problem = {32, 64, 96, ElementType::f32, ElementType::f32};
  return e;
}

TEST(SweepAxes, RangesListsAndMeshesAreRead) {
  const auto axes = parse_sweep_axes("n=1024..65536x2");
  ASSERT_TRUE(axes.ok()) << axes.error().text();
  EXPECT_EQ((*axes)[0].values.size(), 7U);
  EXPECT_EQ((*axes)[0].values.back(), "65536");
  EXPECT_EQ((*parse_sweep_axes("m=64,k=1..9+4"))[1], (SweepAxis{"k", {"1", "5", "9"}}));
  EXPECT_EQ((*parse_sweep_axes("mesh=2x4,4x2"))[0].values.size(), 2U);
  EXPECT_EQ((*parse_sweep_axes("mesh=x=2,y=4;x=4,y=2"))[0].values[1], "x=4,y=2");
}

TEST(SweepAxes, EveryFieldThatMayBeSweptIsPutIntoTheExperiment) {
  for (const Field& field : fields()) {
    const auto axes = parse_sweep_axes(field.key + "=" + other_text(field));
    EXPECT_EQ(axes.ok(), field.has(kAxis)) << field.key;
    if (!axes.ok()) continue;
    Experiment expected = plain_experiment();
    ASSERT_TRUE(put(field, expected, other_text(field)).ok()) << field.key;
    EXPECT_EQ(experiment_at(plain_experiment(), *axes, {0}).value(), expected) << field.key;
  }
}

TEST(SweepAxes, MistakesAreRefused) {
  for (const char* text :
       {"", "n", "q=1", "n=", "n=0", "n=8..2", "slices=", "n=1..8x1", "n=1..8+0", "n=1..2..3", "n=4,4",
        "dtype=f33", "hardware=tpu-v99", "collective=rong", "mesh=2y4", "mesh=2x2x2", "n=1..99999999"})
    EXPECT_FALSE(parse_sweep_axes(text).ok()) << text;
}

TEST(SweepOver, APointHasTheTimesOfItsOwnSweep) {
  const std::vector<SweepAxis> axes = *parse_sweep_axes("n=96,192,slices=1,2");
  const auto table = sweep_over(small(), axes, {}, {});
  ASSERT_TRUE(table.ok()) << table.error().text();
  ASSERT_EQ(table->points.size(), 4U);
  for (const SweepPoint& point : table->points) {
    const Experiment e = *experiment_at(small(), axes, point.at);
    for (const StrategyTime& time : point.ranking) {
      RunRequest request;
      request.strategy = time.strategy;
      request.options.slices = point.at[1] == 0 ? 1 : 2;
      ExecutionOptions options;
      options.numerics = false;
      const auto run = execute(e, request, options, {});
      ASSERT_TRUE(run.ok()) << run.error().text();
      EXPECT_DOUBLE_EQ(time.total_s, to_seconds((*run)->timeline.total)) << time.strategy;
      EXPECT_DOUBLE_EQ(time.price_s, to_seconds((*run)->price->total())) << time.strategy;
    }
  }
}

// Chips are read once, and what points before found of collectives is handed on: nothing of it shows.
TEST(SweepOver, WhatPointsBeforeFoundChangesNoTime) {
  Experiment base = small();
  for (const char* strategy : {"collective.os", "wang.os", "meshslice.ls", "fsdp.mesh"})
    base.runs.emplace_back().strategy = strategy;
  const std::vector<SweepAxis> axes = *parse_sweep_axes("n=96..1632+96,hardware=tpu-v5e,h100");
  const auto table = sweep_over(base, axes, {}, {});
  ASSERT_TRUE(table.ok()) << table.error().text();
  ASSERT_EQ(table->points.size(), 34U);
  int priced = 0;
  for (const SweepPoint& point : table->points) {
    const Experiment e = *experiment_at(base, axes, point.at);
    ASSERT_EQ(point.ranking.size(), 4U);
    for (const StrategyTime& time : point.ranking) {
      RunRequest request;
      request.strategy = time.strategy;
      ExecutionOptions options;
      options.numerics = false;
      const auto run = execute(e, request, options, {});
      ASSERT_TRUE(run.ok()) << run.error().text();
      EXPECT_EQ(time.total_s, to_seconds((*run)->timeline.total)) << time.strategy << " n=" << e.problem.n;
      const Picoseconds price = (*run)->price ? (*run)->price->total() : 0;
      EXPECT_EQ(time.price_s, to_seconds(price)) << time.strategy << " n=" << e.problem.n;
      priced += price > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(priced, 34);
}

TEST(SweepOver, TooManyPointsAreRefusedWithTheirCount) {
  const auto table = sweep_over(small(), *parse_sweep_axes("n=1..200,m=1..101"), {}, {});
  ASSERT_FALSE(table.ok());
  EXPECT_NE(table.error().text().find("20,200"), std::string::npos) << table.error().text();
  EXPECT_FALSE(sweep_over(small(), *parse_sweep_axes("n=1,n=2"), {}, {}).ok());
}

TEST(SweepOver, CancelKeepsThePointsThatWereDone) {
  std::stop_source stop;
  SweepOverExecution execution;
  execution.partial = [&](const CrossoverTable&) { stop.request_stop(); };
  const auto table = sweep_over(small(), *parse_sweep_axes("n=96..1920+96"), execution, stop.get_token());
  ASSERT_TRUE(table.ok()) << table.error().text();
  EXPECT_FALSE(table->complete);
  EXPECT_EQ(table->points.size(), 16U);
}

TEST(Crossovers, AreWhereTheFastestChanges) {
  CrossoverTable table;
  table.axes = {{"n", {"1", "2", "3"}}};
  table.points = {{{0}, {{"a", 1, {}}, {"b", 2, {}}}, 0},
                  {{1}, {{"a", 2, {}}, {"b", 3, {}}}, 0},
                  {{2}, {{"b", 3, {}}, {"a", 4, {}}}, 0}};
  EXPECT_EQ(crossovers(table), (std::vector<Crossover>{{0, {1}, {2}, "a", "b"}}));
}

}  // namespace
}  // namespace shardscope::sweep_over_test
