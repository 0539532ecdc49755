// SPDX-License-Identifier: Apache-2.0
// Axes that are put on nodes and on the network: strategies, modules and the tuner.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_run.h"
#include "engine/session/session.h"

namespace shardscope::placed_runs_test {
namespace {

Experiment experiment(const char* places) {
  Experiment e;
  e.hardware = "h100";
  e.mesh = Mesh::parse("row=2,col=4").value();
  e.chip_wraps = true;
  e.problem = {1024, 4096, 4096, ElementType::bf16, ElementType::f32};
  e.place = parse_placement(places).value();
  e.runs = {{.strategy = "collective.os"}};
  return e;
}

RunPtr run_of(const char* places) {
  ExecutionOptions options;
  options.numerics = false;
  auto done = sweep(experiment(places), options, {});
  EXPECT_TRUE(done.ok()) << done.error().text();
  return done->runs.at(0);
}

bool assumes(const Timeline& timeline, const char* words) {
  return std::ranges::any_of(timeline.assumptions,
                             [&](const std::string& each) { return each.find(words) != std::string::npos; });
}

TEST(PlacedRuns, AnAxisOnTheNetworkTakesTheNetworksTimeThoughAllWouldFitANode) {
  const RunPtr within = run_of(""), rows = run_of("row=network"), columns = run_of("col=network");
  EXPECT_FALSE(assumes(within->timeline, "nodes of"));
  EXPECT_TRUE(assumes(rows->timeline,
                      "8 chips are 2 nodes of 4: col stays within a node, row goes over the network"));
  EXPECT_TRUE(assumes(columns->timeline, "8 chips are 4 nodes of 2"));
  EXPECT_GT(rows->timeline.total, within->timeline.total);
  EXPECT_GT(columns->timeline.total, within->timeline.total);
}

TEST(PlacedRuns, AModuleTakesIt) {
  const auto module = read_hlo_or_mlir(
      "HloModule m, num_partitions=8\nadd { a = f32[] parameter(0)\nb = f32[] parameter(1)\n"
      "ROOT s = f32[] add(a, b) }\nENTRY e {\nx = f32[1048576] parameter(0)\n"
      "ROOT r = f32[1048576] all-reduce(x), replica_groups={{0,4},{1,5},{2,6},{3,7}}, to_apply=add, "
      "channel_id=1, use_global_device_ids=true\n}\n",
      "m.hlo");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const auto time = [&](const char* places) {
    ModuleRunOptions how;
    how.check = CheckMode::off;
    how.asked = {{"hardware", "h100"}, {"mesh", "node=2,gpu=4"}, {"place", places}};
    const auto done = execute_module(module->program, how, {});
    EXPECT_TRUE(done.ok()) << done.error().text();
    return done->run->timeline.total;
  };
  EXPECT_GT(time("node=network"), time("gpu=network"));
  EXPECT_EQ(time("gpu=network"), time("node=node"));
}

TEST(PlacedRuns, WhatDoesNotFitIsRefused) {
  ExecutionOptions options;
  options.numerics = false;
  EXPECT_NE(sweep(experiment("depth=network"), options, {}).error().text().find("unknown mesh axis 'depth'"),
            std::string::npos);
}

}  // namespace
}  // namespace shardscope::placed_runs_test
