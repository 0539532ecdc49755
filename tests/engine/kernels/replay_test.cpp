// SPDX-License-Identifier: Apache-2.0
// A schedule is a policy and a seed, and every one found can be watched again.
#include "engine/kernels/replay.h"

#include <gtest/gtest.h>

#include "engine/kernels/explore.h"

namespace shardscope::kernels {
namespace {

KernelReplay replay_of(const std::string& id, const Schedule& schedule, int n = 4) {
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", n, true}});
  const KernelEntry entry = *find_kernel(id);
  return KernelReplay(entry, *build_kernel(entry, options), schedule, 0);
}

TEST(Replays, EveryStepIsTheSameTwiceAndFromBothSides) {
  const KernelReplay a = replay_of("ag.ring.one_semaphore", {Policy::random, 17});
  const KernelReplay b = replay_of("ag.ring.one_semaphore", {Policy::random, 17});
  ASSERT_EQ(a.steps(), b.steps());
  for (int64_t step = a.steps(); step >= 0; step -= 7) EXPECT_EQ(a.frame(step), b.frame(step)) << step;
}

TEST(Replays, AFrameShowsWhoStandsWhere) {
  const KernelReplay replay = replay_of("ag.ring", schedule_of(3));
  const KernelFrame before = replay.frame(0);
  EXPECT_FALSE(before.devices[0].entered);
  EXPECT_EQ(before.devices[0].buffers[0].initialised_count, 8 * 128) << "inputs are there from the start";
  EXPECT_EQ(before.devices[0].buffers[1].initialised_count, 0);
  const KernelFrame after = replay.frame(replay.steps());
  for (const KernelDeviceState& device : after.devices) {
    EXPECT_TRUE(device.exited);
    EXPECT_EQ(device.buffers[1].initialised_count, 4 * 8 * 128);
    for (const int64_t value : device.semaphores) EXPECT_EQ(value, 0);
  }
  EXPECT_TRUE(after.in_flight.empty());
  EXPECT_TRUE(replay.outcome().correct);
}

TEST(Replays, AFindingIsThereFromTheStepOnThatNoticedIt) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", schedule_of(1));
  ASSERT_FALSE(replay.outcome().findings.empty());
  const KernelFinding& finding = replay.outcome().findings.front();
  EXPECT_TRUE(replay.frame(finding.step).findings.empty());
  EXPECT_EQ(replay.frame(finding.step + 1).findings.front(), finding);
}

TEST(Replays, ActionsQuoteTheListing) {
  const KernelReplay replay = replay_of("permute", {Policy::dma_late, 0}, 2);
  bool started = false, landed = false;
  for (int64_t step = 0; step < replay.steps(); ++step) {
    started = started || replay.action(step).find(": hop.start();") != std::string::npos;
    landed = landed || replay.action(step).find("lands in out") != std::string::npos;
  }
  EXPECT_TRUE(started && landed);
}

TEST(Schedules, DmasAsLateAsPossibleMoveOnlyWhenEveryDeviceIsBlocked) {
  const KernelReplay replay = replay_of("ag.ring", {Policy::dma_late, 5});
  for (int64_t step = 0; step < replay.steps(); ++step) {
    if (replay.outcome().choices[static_cast<size_t>(step)].kind == Action::Kind::device) continue;
    for (const KernelDeviceState& device : replay.frame(step).devices)
      EXPECT_TRUE(device.exited || device.waits_for >= 0) << step;
  }
}

TEST(Schedules, DmasAsEarlyAsPossibleNeverPileUp) {
  EXPECT_EQ(replay_of("ag.ring", {Policy::dma_early, 5}, 8).outcome().max_in_flight, 1);
}

TEST(Schedules, AllPoliciesAreMixedIn) {
  int kinds[5] = {};
  for (uint64_t seed = 0; seed < 8; ++seed) ++kinds[static_cast<size_t>(schedule_of(seed).policy)];
  EXPECT_EQ(kinds[0], 4);
  for (int policy = 1; policy < 5; ++policy) EXPECT_EQ(kinds[policy], 1);
  EXPECT_FALSE(parse_policy("lucky").ok());
  EXPECT_EQ(*parse_policy("reordered"), Policy::reordered);
}

}  // namespace
}  // namespace shardscope::kernels
