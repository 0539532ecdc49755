// SPDX-License-Identifier: Apache-2.0
// What ranks compute has the bits of one process, whatever the program, the mesh and the collectives'
// algorithms.
#include <cstring>
#include <gtest/gtest.h>
#include <map>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"
#include "engine/session/session.h"
#include "engine/strategies/strategy.h"
#include "tests/cluster/joined.h"
#include "tests/engine/session/random_modules.h"

namespace shardscope::same_bits_test {
namespace {

Experiment experiment_on(const std::string& axes, ElementType type) {
  Experiment out;
  out.mesh = *Mesh::parse(axes);
  out.chip_wraps = true;
  out.problem.m = 64;
  out.problem.k = 128;
  out.problem.n = 192;
  out.problem.dtype = type;
  out.fill = Fill::normal;
  return out;
}

// Y as computed here and by the ranks; none: refused by both alike.
std::optional<std::pair<Array, Array>> both(const Experiment& experiment, const RunRequest& request) {
  ExecutionOptions here, apart;
  here.threads = 1;
  apart.threads = 1;
  apart.ranks = &testing::joined();
  std::pair<Array, Array> out;
  const auto alone = execute(experiment, request, here, {}, &out.first);
  const auto shared = execute(experiment, request, apart, {}, &out.second);
  EXPECT_EQ(alone.ok(), shared.ok()) << request.strategy << ": "
                                     << (shared.ok() ? "" : shared.error().text());
  if (!alone.ok() || !shared.ok()) return std::nullopt;
  EXPECT_EQ((*alone)->numerics.allclose, (*shared)->numerics.allclose) << request.strategy;
  EXPECT_EQ((*alone)->numerics.max_abs, (*shared)->numerics.max_abs) << request.strategy;
  return out;
}

class OfStrategies : public ::testing::TestWithParam<const char*> {};

TEST_P(OfStrategies, EveryStrategyGivesTheBitsOfOneProcess) {
  const Experiment experiment = experiment_on(GetParam(), ElementType::f32);
  int ran = 0;
  for (const RunRequest& request : requests_of(experiment)) {
    const auto arrays = both(experiment, request);
    if (!arrays) continue;
    ++ran;
    EXPECT_EQ(arrays->first, arrays->second) << request.strategy << " on " << GetParam();
  }
  EXPECT_GE(ran, 3) << GetParam();  // sizes that 3 does not divide leave few
}

// Of a rank for each device, of several devices a rank, unequal ones too, and of ranks that have none.
INSTANTIATE_TEST_SUITE_P(Meshes, OfStrategies,
                         ::testing::Values("row=2,col=2", "row=2,col=4", "row=4,col=2", "row=2,col=2,depth=2",
                                           "row=3,col=2", "row=2,col=1", "x=4"));

TEST(OfAlgorithms, SumsAreAddedInTheOrderOfTheirSchedule) {
  int ran = 0;
  for (const char* word :
       {"ring", "bidirectional", "bidirectional.whole", "doubling", "halving-doubling", "bruck", "direct",
        "shift", "tree", "binomial", "torus", "torus.bidirectional", "hierarchical", "swing"}) {
    for (const ElementType type : {ElementType::f32, ElementType::bf16}) {
      Experiment experiment = experiment_on("row=2,col=4", type);
      experiment.collective = *parse_collective_algorithm(word);
      for (const RunRequest& request : requests_of(experiment)) {
        const auto arrays = both(experiment, request);
        if (!arrays) continue;
        ++ran;
        EXPECT_EQ(arrays->first, arrays->second) << request.strategy << " by " << word;
      }
    }
  }
  EXPECT_GT(ran, 100);
}

TEST(OfModules, RandomModulesGiveTheBitsOfOneProcess) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const testing::RandomModule random(seed);
    const auto module = read_hlo(random.text());
    if (!module.ok()) continue;
    ModuleRunOptions how;
    how.partition.devices = random.devices();
    how.values = true;
    how.threads = 1;
    const auto alone = execute_module(module->program, how, {});
    how.ranks = &testing::joined();
    const auto shared = execute_module(module->program, how, {});
    ASSERT_EQ(alone.ok(), shared.ok())
        << "seed " << seed << ": " << (shared.ok() ? "" : shared.error().text());
    if (!alone.ok()) continue;
    ASSERT_EQ(alone->results.size(), shared->results.size()) << "seed " << seed;
    for (size_t r = 0; r < alone->results.size(); ++r)
      EXPECT_EQ(alone->results[r].arrays, shared->results[r].arrays) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

// Without parameters only the program tells one job from the next.
TEST(OfJobs, AnotherProgramInTheSamePlaceIsAnotherJob) {
  Program program;
  const std::vector<TimedCollective> schedules;
  for (const int value : {1, 1, 2}) {
    const std::string number = std::to_string(value);
    auto module = read_hlo(
        "HloModule m, num_partitions=2\n\nENTRY %main () -> f32[2] {\n  ROOT %c = f32[2] constant({" +
        number + ", " + number + "})\n}\n");
    ASSERT_TRUE(module.ok()) << module.error().text();
    program = std::move(module->program);
    const auto root = testing::joined().run({program, schedules}, {}, {}, {});
    ASSERT_TRUE(root.ok()) << root.error().text();
    ASSERT_EQ(root->size(), 2U);
    for (const DeviceValue& each : *root) EXPECT_EQ(copy_of(*each.view).at(0), value);
  }
}

}  // namespace
}  // namespace shardscope::same_bits_test
