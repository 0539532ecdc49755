// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::refusals_test {
namespace {

std::string refusal(const Program& program, const Hardware& hardware, ScheduleOptions options = {}) {
  const auto timeline = schedule(program, hardware, options, {});
  return timeline.ok() ? "" : timeline.error().text();
}

TEST(Schedule, NamesTheNumberThatNobodyPublished) {
  const Program gather = one(Op::all_gather, mesh("x=4"), kMiB);
  Hardware h = chip();
  h.link.latency_s.reset();
  EXPECT_EQ(refusal(gather, h),
            "link.latency_s of test-chip is not published; hardware; give link.latency_s in a hardware file");
  h = chip();
  h.link.bytes_per_s.reset();
  EXPECT_NE(refusal(gather, h).find("link.bytes_per_s of test-chip is not published"), std::string::npos);

  const Program product = plan("collective.os", mesh("row=1,col=1"), {64, 64, 64});
  EXPECT_EQ(refusal(product, h), "") << "one device needs no link";
  h.memory.hbm_bytes_per_s.reset();
  EXPECT_NE(refusal(product, h).find("memory.hbm_bytes_per_s of test-chip is not published"),
            std::string::npos);
  h = chip();
  h.compute.peak_flops_per_s.clear();
  EXPECT_NE(refusal(product, h).find("compute.peak_flops_per_s"), std::string::npos);
}

TEST(Schedule, RefusesWhatItCannotTime) {
  const Program gather = one(Op::all_gather, mesh("x=4"), kMiB);
  ScheduleOptions options;
  options.collective = CollectiveAlgorithm::doubling;
  EXPECT_NE(refusal(one(Op::all_gather, mesh("x=6"), 6 * kMiB), chip(), options).find("power of two"),
            std::string::npos);
  options.collective = CollectiveAlgorithm::automatic;
  Hardware h = chip();
  h.topology = Topology::two_level;
  EXPECT_NE(refusal(gather, h).find("node.devices of test-chip is not published"), std::string::npos);
  h.node_devices = 2;
  EXPECT_NE(refusal(gather, h).find("network.latency_s of test-chip is not published"), std::string::npos);
  h.node_devices = 4;
  EXPECT_EQ(refusal(gather, h), "") << "one node needs no network";
}

// A word for other kinds of collectives is not for this one: the fastest runs, and the timeline says so.
TEST(Schedule, AWordForOtherCollectivesIsAnAssumption) {
  const Timeline t = run(one(Op::all_gather, mesh("x=4"), kMiB), chip(), CollectiveAlgorithm::chain);
  ASSERT_EQ(t.assumptions.size(), 1u);
  EXPECT_EQ(t.assumptions[0], "no all-gather goes by chain: all-gather of 4 devices goes there by " +
                                  t.collectives[0].algorithm);
  EXPECT_NE(t.collectives[0].why, "");
}

TEST(Schedule, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto timeline = schedule(one(Op::all_gather, mesh("x=8"), kMiB), chip(), {}, stop.get_token());
  ASSERT_FALSE(timeline.ok());
  EXPECT_EQ(timeline.error().kind, ErrorKind::cancelled);
}

TEST(Schedule, SaysWhichPeakItBorrowed) {
  Hardware h = chip();
  h.compute.peak_flops_per_s = {{ElementType::bf16, 197e12}};
  const Timeline t = run(plan("collective.os", mesh("row=2,col=2"), {64, 64, 64}), h);
  ASSERT_EQ(t.assumptions.size(), 1u);
  h.torus_axes = 1;
  h.torus_chips = 4;
  EXPECT_EQ(run(plan("collective.os", mesh("row=2,col=2"), {64, 64, 64}), h).assumptions.size(), 2u);
  h.torus_chips = 2;
  EXPECT_EQ(run(plan("collective.os", mesh("row=2,col=2"), {64, 64, 64}), h).assumptions.front(),
            "the mesh has 4 chips: no machine of " + h.name + " chips has more than 2 on one torus");
}

// 2·m·n·k over the peak, k and n padded to the tile; or bytes over HBM; and the launch.
TEST(Schedule, DotCostIsTheLargerOfProductAndMemory) {
  const MatmulProblem p{100, 100, 200, ElementType::f32, ElementType::f32};
  const Program program = plan("collective.os", mesh("row=1,col=1"), p);
  Hardware h = chip();
  h.compute.efficiency = 0.5;
  h.compute.launch_overhead_s = 2e-6;
  h.compute.mxu_rows = h.compute.mxu_cols = 128;
  Timeline t = run(program, h);
  expect_time(t.total, 2.0 * 100 * 128 * 256 / (100e12 * 0.5) + 2e-6, "compute");
  EXPECT_EQ(t.critical_path.overhead, to_picoseconds(2e-6));
  EXPECT_DOUBLE_EQ(t.mxu_utilisation, 100.0 * 200 / (128.0 * 256));
  EXPECT_EQ(t.totals[0].flops, p.flops());
  h.memory.hbm_bytes_per_s = 1e9;
  h.memory.hbm_efficiency = 0.8;
  t = run(program, h);
  expect_time(t.total, 4.0 * (100 * 100 + 100 * 200 + 100 * 200) / 0.8e9 + 2e-6, "memory");
  EXPECT_EQ(t.critical_path.compute, 0);
  EXPECT_EQ(summarise(t).bound, "memory");
}

}  // namespace
}  // namespace shardscope::schedule_test::refusals_test
