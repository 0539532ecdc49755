// SPDX-License-Identifier: Apache-2.0
// What strategies on one axis, and the Pallas notebook's, refuse; and how their hops and products lie.
#include "tests/engine/strategies/planned.h"

namespace shardscope::one_axis_test {
namespace {

using testing::count;
using testing::refusal;

TEST(Refusals, OfOneAxisStrategies) {
  EXPECT_EQ(refusal("megatron.column", "x=4", 8, 8, 6),
            "megatron.column: n must be divisible by x, got n=6, x=4");
  EXPECT_EQ(refusal("megatron.row", "x=4", 8, 6, 8), "megatron.row: k must be divisible by x, got k=6, x=4");
  EXPECT_EQ(refusal("fsdp.forward", "x=4", 6, 8, 8), "fsdp.forward: m must be divisible by x, got m=6, x=4");
  EXPECT_EQ(refusal("fsdp.gradient", "x=4", 6, 8, 8),
            "fsdp.gradient: m must be divisible by x, got m=6, x=4");
  EXPECT_EQ(refusal("ring.ag_matmul.bidirectional", "row=4", 12, 8, 8),
            "ring.ag_matmul.bidirectional: m/rows must be even, got 3");
  EXPECT_EQ(refusal("ring.matmul_rs", "row=4", 6, 8, 8),
            "ring.matmul_rs: m must be divisible by rows, got m=6, rows=4");
}

TEST(Refusals, OfPallasStrategies) {
  EXPECT_EQ(
      refusal("pallas.permute_psum", "x=2,y=4", 8, 8, 8),
      "pallas.permute_psum: needs a square mesh, on which a device's columns of X match one block of W, "
      "got x=2, y=4");
  EXPECT_EQ(refusal("pallas.fused_as_written", "x=2,y=4", 8, 8, 8),
            "pallas.fused_as_written: needs a square mesh, elsewhere a shard of W has not as many rows as a "
            "block of X has columns, got x=2, y=4");
  EXPECT_EQ(refusal("pallas.ring", "x=3,y=2", 6, 8, 8),
            "pallas.ring: k must be divisible by x, got k=8, x=3");
  EXPECT_EQ(refusal("pallas.ag_ag", "x=4", 8, 8, 8), "pallas.ag_ag: needs 2 mesh axes (row, col), got x=4");
}

TEST(RingMatmul, HopsOneShardOrTwoHalvesAStep) {
  for (const int64_t n : {1, 2, 3, 4, 8}) {
    const std::string mesh = "x=" + std::to_string(n);
    const auto one_way = testing::plan("ring.ag_matmul", testing::mesh_of(mesh), {48, 24, 24});
    const auto both = testing::plan("ring.ag_matmul.bidirectional", testing::mesh_of(mesh), {48, 24, 24});
    ASSERT_TRUE(one_way.ok() && both.ok());
    EXPECT_EQ(count(*one_way, Opcode::collective_permute), n - 1);
    EXPECT_EQ(count(*both, Opcode::collective_permute), 2 * (n - 1));
    EXPECT_EQ(count(*both, Opcode::dot), 2 * n);
  }
}

// A layer's step: W gathered forward and again backward, its gradient scattered: 3 (n-1)/n |W| whatever the
// batch.
TEST(Fsdp, AStepSendsThreeTimesTheWeights) {
  for (const int64_t n : {1, 2, 3, 4, 8}) {
    for (const int64_t batch : {24, 240}) {
      const Mesh mesh = testing::mesh_of("d=" + std::to_string(n));
      const auto forward = testing::plan("fsdp.forward", mesh, {batch, 48, 72});
      const auto gradient = testing::plan("fsdp.gradient", mesh, {48, batch, 72});
      ASSERT_TRUE(forward.ok() && gradient.ok());
      EXPECT_EQ(2 * testing::sent_by_axis(*forward)["d"] + testing::sent_by_axis(*gradient)["d"],
                static_cast<double>(3 * (n - 1) * 48 * 72 / n));
    }
  }
}

TEST(Fsdp, OverTheMeshGathersTheWeightsOnceOverBothAxes) {
  for (const char* mesh : {"row=2,col=4", "row=4,col=2", "row=3,col=3", "row=1,col=4"}) {
    const Mesh m = testing::mesh_of(mesh);
    const int64_t p = m.device_count();
    const auto program = testing::plan("fsdp.mesh", m, {2 * p, 4 * p, 24});
    ASSERT_TRUE(program.ok()) << mesh;
    EXPECT_EQ(count(*program, Opcode::all_gather), 1);
    EXPECT_EQ(testing::sent_by_axis(*program)[m.axis_size(0) > 1 ? "row,col" : "col"],
              static_cast<double>((p - 1) * 4 * 24))
        << mesh;
  }
}

// With as many rows as columns a device needs one shard, which some devices get last. With one column it
// needs all shards and multiplies each as it comes.
TEST(PallasRing, MultipliesAPieceOnceEveryDeviceHasOne) {
  const auto steps_of_dots = [](const char* mesh) {
    const auto program = testing::plan("pallas.ring", testing::mesh_of(mesh), {24, 48, 24});
    EXPECT_TRUE(program.ok());
    std::vector<int> steps;
    for (const Instruction& i : program->entry_computation().instructions) {
      if (i.opcode == Opcode::dot) steps.push_back(i.provenance->step);
    }
    return steps;
  };
  EXPECT_EQ(steps_of_dots("x=4,y=4"), (std::vector<int>{3}));
  EXPECT_EQ(steps_of_dots("x=4,y=2"), (std::vector<int>{2, 3}));
  EXPECT_EQ(steps_of_dots("x=4,y=1"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(steps_of_dots("x=2,y=4"), (std::vector<int>{1}));
}

}  // namespace
}  // namespace shardscope::one_axis_test
