// SPDX-License-Identifier: Apache-2.0
// `--collective nccl`: what NCCL would take stands on the collective, with NCCL's reason; where NCCL has no
// model the fastest does, and that is said.
#include <gtest/gtest.h>

#include "engine/plan/collective_plan.h"
#include "engine/schedule/schedule.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::nccl_test {
namespace {

using Algorithm = CollectiveAlgorithm;

Program sum(int64_t devices, int64_t bytes) {
  SpmdBuilder b("nccl", mesh("x=" + std::to_string(devices)), {1, 1, 1, ElementType::f32, ElementType::f32});
  const PartitionSpec all = PartitionSpec::parse("P(None)").value();
  return b
      .finish(b.all_reduce(b.input(ArrayRole::lhs, {bytes / 4}, all), "x"), ArrayRole::result, {bytes / 4},
              all)
      .value();
}

CollectivePlanner::Found found(const std::string& chip, const Program& program) {
  const Hardware hardware = find_hardware(chip).value();
  const Fabric fabric = Fabric::make(program.mesh, hardware).value();
  FastestAlgorithms fastest;
  CollectivePlanner planner(program, {hardware, fabric}, Algorithm::nccl, fastest);
  for (const Instruction& i : program.entry_computation().instructions)
    if (i.opcode == Opcode::all_reduce) return planner.algorithm_of(i).value();
  ADD_FAILURE() << "no all-reduce";
  return {};
}

TEST(Nccl, takes_rings_for_small_sums_and_multicast_for_large_ones_with_its_reason) {
  const auto small = found("h100", sum(8, kMiB)), large = found("h100", sum(8, 1024 * kMiB));
  EXPECT_EQ(small.algorithm, Algorithm::ring);
  EXPECT_TRUE(small.why.starts_with("ring: NCCL 2.30 takes ring LL with 24 channels, 28")) << small.why;
  EXPECT_TRUE(small.why.ends_with(
      "; from symmetric memory two-shot by multicast (AllReduce_RSxLDMC_AGxSTMC) with 1 block, 9.45 µs"))
      << small.why;
  EXPECT_EQ(large.algorithm, Algorithm::direct);
  EXPECT_TRUE(large.why.starts_with("direct: NCCL 2.30 takes NVLS Simple with 16 channels")) << large.why;
  EXPECT_EQ(large.ignored, "");
  // Ampere's switch adds nothing.
  EXPECT_EQ(found("a100", sum(8, 1024 * kMiB)).algorithm, Algorithm::ring);
}

// Of NCCL's rings and trees each leaves a node by another card: one of ours would leave by one.
TEST(Nccl, on_several_nodes_goes_by_levels) {
  EXPECT_EQ(found("h100", sum(16, 64 * kMiB)).algorithm, Algorithm::hierarchical) << "NVLS tree";
  const auto tree = found("a100", sum(16, 64 << 10));
  EXPECT_EQ(tree.algorithm, Algorithm::hierarchical);
  EXPECT_TRUE(tree.why.starts_with("hierarchical: NCCL 2.30 takes tree")) << tree.why;
}

TEST(Nccl, is_the_fastest_where_it_has_no_model) {
  const auto other = found("tpu-v5e", sum(8, kMiB));
  EXPECT_NE(other.algorithm, Algorithm::nccl);
  EXPECT_TRUE(other.ignored.starts_with("NCCL has no model of tpu-v5e: all-reduce of 8 devices goes by"))
      << other.ignored;
  // Nodes of 8 and 4.
  EXPECT_TRUE(
      found("h100", sum(12, kMiB)).ignored.starts_with("NCCL's model is of nodes with as many devices"));
}

TEST(Nccl, stands_on_the_program_and_says_why_when_it_is_timed) {
  const Hardware hardware = find_hardware("h100").value();
  const Program program = resolve_collectives(sum(8, 1024 * kMiB), hardware, Algorithm::nccl).value();
  ScheduleOptions options;
  options.collective = Algorithm::nccl;
  const Timeline timeline = schedule(program, hardware, options, {}).value();
  ASSERT_EQ(timeline.collectives.size(), 1U);
  EXPECT_EQ(timeline.collectives[0].algorithm, "direct");
  EXPECT_TRUE(timeline.collectives[0].why.starts_with("direct: NCCL 2.30 takes NVLS Simple"))
      << timeline.collectives[0].why;
}

}  // namespace
}  // namespace shardscope::schedule_test::nccl_test
