// SPDX-License-Identifier: Apache-2.0
// A schedule is a policy and a seed, and every one found can be watched again.
#include "engine/kernels/machine/replay.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/machine/explore.h"

namespace shardscope::kernels::replay_test {
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

// Round the ring a block stays its owner's, also where another copy overtook it.
TEST(Replays, AFrameSaysWhoseDataEachRowHolds) {
  const KernelReplay replay = replay_of("ag.ring", schedule_of(3));
  const std::vector<int16_t> nobody(32, -1);
  EXPECT_EQ(replay.frame(0).devices[2].buffers[0].owners, std::vector<int16_t>(8, 2));
  EXPECT_EQ(replay.frame(0).devices[2].buffers[1].owners, nobody);
  std::vector<int16_t> gathered;
  for (int16_t d = 0; d < 4; ++d) gathered.insert(gathered.end(), 8, d);
  for (const KernelDeviceState& device : replay.frame(replay.steps()).devices)
    EXPECT_EQ(device.buffers[1].owners, gathered);
  const KernelReplay broken = replay_of("ag.ring.one_semaphore", schedule_of(1));
  for (int64_t step = 0; step <= broken.steps(); step += 3)
    for (const KernelDeviceState& device : broken.frame(step).devices)
      for (size_t row = 0; row < gathered.size(); ++row) {
        const int16_t owner = device.buffers[1].owners[row];
        EXPECT_TRUE(owner < 0 || owner == gathered[row]) << step << " row " << row;
      }
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
    started = started || replay.action(step).find(": hop.start()") != std::string::npos;
    landed = landed || replay.action(step).find("lands in out") != std::string::npos;
  }
  EXPECT_TRUE(started && landed);
}

TEST(Replays, AStepSaysWhoMovedAndABlockedDeviceHowMuchItWants) {
  const KernelReplay replay = replay_of("ag.ring", {Policy::dma_late, 5});
  bool device_moved = false, dma_moved = false, waits_for_a_shard = false;
  for (int64_t step = 1; step <= replay.steps(); ++step) {
    const KernelFrame frame = replay.frame(step);
    EXPECT_NE(frame.moved_device >= 0, frame.moved_dma >= 0) << "one of them";
    device_moved = device_moved || frame.moved_device >= 0;
    dma_moved = dma_moved || frame.moved_dma >= 0;
    for (const KernelDeviceState& device : frame.devices) {
      EXPECT_EQ(device.waits_for >= 0, device.waits_units > 0);
      waits_for_a_shard = waits_for_a_shard || device.waits_units == 8 * 128 * 4;
    }
  }
  EXPECT_TRUE(device_moved && dma_moved && waits_for_a_shard);
}

TEST(Replays, NumbersArriveWhereTheInitialisedBitsSay) {
  const KernelReplay replay = replay_of("ag.ring", schedule_of(3));
  ASSERT_TRUE(replay.numeric());
  const Numbers input = replay.values(0, 1, 0), before = replay.values(0, 0, 1);
  const Numbers after = replay.values(replay.steps(), 0, 1);
  EXPECT_TRUE(std::all_of(before.begin(), before.end(), [](float v) { return std::isnan(v); }));
  EXPECT_TRUE(std::equal(input.begin(), input.end(), after.begin() + 8 * 128)) << "device 1's shard";
}

TEST(Replays, AfterTheLastStepWrongElementsAreMarked) {
  const KernelReplay replay = replay_of("ar.one_hop", schedule_of(0), 4);
  const auto marked = [](const KernelFrame& frame) {
    return std::count_if(frame.devices.begin(), frame.devices.end(), [](const KernelDeviceState& device) {
      return std::any_of(device.buffers.begin(), device.buffers.end(),
                         [](const KernelBufferState& buffer) { return !buffer.wrong.empty(); });
    });
  };
  EXPECT_GT(marked(replay.frame(replay.steps())), 0);
  EXPECT_EQ(marked(replay.frame(replay.steps() - 1)), 0);
  const KernelReplay right = replay_of("ag.ring", schedule_of(0), 4);
  EXPECT_EQ(marked(right.frame(right.steps())), 0);
}

TEST(Replays, TheCopyThatLandedIsSaid) {
  const KernelReplay replay = replay_of("permute", {Policy::dma_late, 0}, 2);
  int landed = 0;
  for (int64_t step = 1; step <= replay.steps(); ++step) {
    const KernelFrame frame = replay.frame(step);
    if (!frame.landed) continue;
    EXPECT_EQ(frame.landed->number, frame.moved_dma);
    ++landed;
  }
  EXPECT_EQ(landed, 2);
}

TEST(Replays, ArraysTooLargeForNumbersAreFollowedWithout) {
  const KernelEntry entry = *find_kernel("permute");
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}});
  options.rows = options.cols = 2048;
  const KernelReplay replay(entry, *build_kernel(entry, options), schedule_of(0), 0);
  EXPECT_FALSE(replay.numeric());
  EXPECT_TRUE(replay.values(replay.steps(), 0, 1).empty());
  EXPECT_TRUE(replay.outcome().correct) << "it ended";
  EXPECT_EQ(replay.frame(replay.steps()).devices[1].buffers[1].initialised_count, 2048 * 2048);
  options.rows = options.cols = 16384;
  const Result<void> fits = KernelReplay::fits(*build_kernel(entry, options));
  ASSERT_FALSE(fits.ok());
  EXPECT_NE(fits.error().text().find("smaller sizes"), std::string::npos);
}

TEST(Replays, TheTextAboveAKernelIsItsLesson) {
  EXPECT_EQ(replay_of("ag.ring", schedule_of(0)).program().layout.listing.comment,
            "Shards travel right, one hop a step; each step has a receive semaphore of its own.");
  EXPECT_EQ(
      replay_of("ag.bidi.whole", schedule_of(0)).program().layout.listing.comment,
      "Whole shards both ways. For even n the last step brings the shard of the device opposite from both "
      "sides, to the same place.");
}

TEST(Explored, ProgressCountsUpToTheWhole) {
  const KernelEntry entry = *find_kernel("ag.ring.no_barrier");
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", 4, true}});
  ExploreOptions how;
  how.schedules = 150;
  std::vector<int64_t> counts;
  KernelRun last;
  how.progress = [&](const KernelRun& so_far) {
    counts.push_back(so_far.schedules);
    EXPECT_EQ(so_far.correct_runs + so_far.wrong_runs, so_far.schedules);
    last = so_far;
  };
  const KernelRun done = *explore(entry, *build_kernel(entry, options), how, Workers(1), {});
  ASSERT_GT(counts.size(), 1U);
  EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
  EXPECT_EQ(counts.back(), 150);
  EXPECT_EQ(last.wrong_runs, done.wrong_runs);
  EXPECT_EQ(last.findings.size(), done.findings.size());
}

TEST(Sizes, AKernelReadsThoseThatChangeIt) {
  const auto names = [](const char* id) {
    std::string out;
    for (const KernelSize& size : sizes_read(*find_kernel(id))) out += size.name + " ";
    return out;
  };
  EXPECT_EQ(names("ag.ring"), "rows cols ");
  EXPECT_EQ(names("matmul.tiled"), "m k n bm bk bn ");
  EXPECT_NE(names("ag_matmul.fused").find("chunks"), std::string::npos);
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
}  // namespace shardscope::kernels::replay_test
