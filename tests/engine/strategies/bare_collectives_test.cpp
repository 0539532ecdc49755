// SPDX-License-Identifier: Apache-2.0
// A collective alone: what it begins and ends with, and what every device sends for it.
#include "tests/engine/strategies/planned.h"

namespace shardscope::bare_collectives_test {
namespace {

const MatmulProblem kProblem{64, 128, 16};
constexpr double kX = 64 * 128;

struct Bare {
  const char* id;
  const char* from;  // of X on a mesh x=8
  const char* to;
  double sent;  // of X, by one of n devices
  double (*share)(double n);
};

const Bare kAll[] = {
    {"collective.all_gather", "P('x',None)", "P(None,None)", kX, [](double n) { return (n - 1) / n; }},
    {"collective.reduce_scatter", "P(None,None)", "P('x',None)", kX, [](double n) { return (n - 1) / n; }},
    {"collective.all_reduce", "P(None,None)", "P(None,None)", kX, [](double n) { return 2 * (n - 1) / n; }},
    {"collective.all_to_all", "P(None,'x')", "P('x',None)", kX, [](double n) { return (n - 1) / n / n; }},
};

TEST(BareCollectives, BeginAndEndWithXAndMultiplyNothing) {
  const Mesh ring = testing::mesh_of("x=8");
  for (const Bare& bare : kAll) {
    const auto program = testing::plan(bare.id, ring, kProblem);
    ASSERT_TRUE(program.ok()) << program.error().text();
    ASSERT_EQ(program->inputs.size(), 1U) << bare.id;
    EXPECT_EQ(program->inputs[0].spec.text(), bare.from) << bare.id;
    EXPECT_EQ(program->output->spec.text(), bare.to) << bare.id;
    EXPECT_EQ(program->output->role, ArrayRole::lhs) << bare.id;
    EXPECT_EQ(symbol_of(program->inputs[0]), "X");
    EXPECT_EQ(testing::flops_per_device(*program), 0) << bare.id;
    EXPECT_EQ((*find_strategy(bare.id))->kind, StrategyKind::part) << bare.id;
  }
}

TEST(BareCollectives, WhatSumsBeginsWithPartialSumsOverAllAxes) {
  for (const char* id : {"collective.reduce_scatter", "collective.all_reduce"}) {
    const auto program = testing::plan(id, testing::mesh_of("a=2,b=4"), kProblem);
    ASSERT_TRUE(program.ok()) << program.error().text();
    EXPECT_EQ(program->inputs[0].unreduced, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(program->output->unreduced.empty());
  }
}

TEST(BareCollectives, SendTheVolumeOfOneCollectiveOverAllAxesOfTheMesh) {
  for (const auto& [mesh, axes, n] : {std::tuple{"x=8", "x", 8.0},
                                      {"a=2,b=4", "a,b", 8.0},
                                      {"a=2,b=2,c=2", "a,b,c", 8.0},
                                      {"depth=4", "depth", 4.0}}) {
    for (const Bare& bare : kAll) {
      const auto program = testing::plan(bare.id, testing::mesh_of(mesh), kProblem);
      ASSERT_TRUE(program.ok()) << bare.id << ": " << program.error().text();
      const auto sent = testing::sent_by_axis(*program);
      ASSERT_EQ(sent.size(), 1U) << bare.id << ' ' << mesh;
      EXPECT_EQ(sent.begin()->first, axes) << bare.id;
      EXPECT_DOUBLE_EQ(sent.begin()->second, bare.sent * bare.share(n)) << bare.id << ' ' << mesh;
    }
  }
}

TEST(BareCollectives, PermutesGoOneDeviceOnAndHomeAgain) {
  const auto program = testing::plan("collective.permute", testing::mesh_of("x=8"), kProblem);
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(testing::count(*program, Opcode::collective_permute), 2);
  EXPECT_EQ(program->inputs[0].spec, program->output->spec);
  EXPECT_DOUBLE_EQ(testing::sent_by_axis(*program).at("x"), 2 * kX / 8);
}

TEST(BareCollectives, NeedRowsForEveryDevice) {
  EXPECT_EQ(testing::refusal("collective.reduce_scatter", "x=8", 12, 8, 8),
            "collective.reduce_scatter: m must be divisible by x, got m=12, x=8");
  EXPECT_EQ(testing::refusal("collective.all_to_all", "x=8", 16, 12, 8),
            "collective.all_to_all: k must be divisible by x, got k=12, x=8");
  EXPECT_EQ(testing::refusal("collective.all_reduce", "x=8", 12, 9, 8), "planned");
}

}  // namespace
}  // namespace shardscope::bare_collectives_test
