// SPDX-License-Identifier: Apache-2.0
// The kernel canvas: what it shows of one step of a schedule.
#include "views/scene/kernel_canvas.h"

#include <algorithm>

#include "engine/kernels/replay.h"
#include "engine/kernels/time.h"
#include "sample_run.h"
#include "views/scene/kernel_time_view.h"

namespace shardscope {
namespace {

using kernels::KernelReplay;

KernelReplay replay_of(const std::string& id, int n, kernels::Schedule schedule) {
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", n, true}});
  const kernels::KernelEntry entry = *kernels::find_kernel(id);
  return KernelReplay(entry, *kernels::build_kernel(entry, options), schedule, 0);
}

Scene scene_at(const KernelReplay& replay, int64_t step, const KernelViewport& viewport = {}) {
  const KernelFrame frame = replay.frame(step);
  return layout_kernel({replay.program().layout, frame, replay.steps()}, viewport, canvas(1400, 800));
}

bool any_text(const Scene& scene, const std::string& part) {
  return std::any_of(scene.texts().begin(), scene.texts().end(),
                     [&](const TextItem& t) { return t.text.find(part) != std::string::npos; });
}

// The first step after which as many DMAs are in flight.
int64_t step_with_dmas(const KernelReplay& replay, size_t count) {
  for (int64_t step = 0; step <= replay.steps(); ++step) {
    if (replay.frame(step).in_flight.size() >= count) return step;
  }
  return 0;
}

TEST(KernelCanvas, DmasInFlightAreArrowsFromBufferToBuffer) {
  const KernelReplay replay = replay_of("ag.ring", 4, {kernels::Policy::dma_late, 1});
  const int64_t step = step_with_dmas(replay, 4);
  const Scene scene = scene_at(replay, step);
  EXPECT_EQ(
      std::count_if(scene.lines().begin(), scene.lines().end(), [](const LineItem& l) { return l.arrow; }),
      4);
  EXPECT_TRUE(any_text(scene, "DMA 3"));
  for (const LineItem& line : scene.lines()) {
    if (!line.arrow) continue;
    const auto id = scene.hit(line.points.back());
    ASSERT_TRUE(id.has_value());
  }
}

TEST(KernelCanvas, AFindingIsShownFromItsStepOnWithWhatIsMissing) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const int64_t step = replay.outcome().findings.front().step;
  EXPECT_TRUE(any_text(scene_at(replay, step), "nothing found so far"));
  const Scene after = scene_at(replay, step + 1);
  EXPECT_TRUE(any_text(after, "shared_receive"));
  const auto& items = after.accessible();
  EXPECT_TRUE(std::any_of(items.begin(), items.end(), [](const AccessibleItem& item) {
    return item.name.find("missing: a receive semaphore per copy") != std::string::npos;
  }));
}

TEST(KernelCanvas, LinesOfTheListingCarryTheDevicesThatStandThere) {
  const KernelReplay replay = replay_of("ag.ring", 4, {kernels::Policy::dma_late, 1});
  const Scene scene = scene_at(replay, step_with_dmas(replay, 4));
  EXPECT_TRUE(any_text(scene, "hop.wait();"));
  EXPECT_GE(scene.circles().size(), 4U) << "a mark per device beside its line";
}

TEST(KernelCanvas, ItIsDrawnWithoutAnythingToShowAndWithoutRoom) {
  const KernelLayout layout;
  const KernelFrame frame;
  EXPECT_FALSE(layout_kernel({layout, frame, 0}, {}, canvas(400, 300)).texts().empty());
  const KernelReplay replay = replay_of("rs.bidi", 8, kernels::schedule_of(2));
  const KernelFrame now = replay.frame(40);
  layout_kernel({replay.program().layout, now, replay.steps()}, {}, canvas(90, 40));
}

KernelTime time_of(const std::string& id) {
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  const kernels::KernelProgram program = *kernels::build_kernel(*kernels::find_kernel(id), options);
  return *kernels::time_kernel(program, *find_hardware("tpu-v5e"));
}

TEST(KernelTimeView, EveryEventIsOnItsDevicesLane) {
  const KernelTime time = time_of("ag_matmul.fused");
  KernelLayout layout;
  layout.kernel = "ag_matmul.fused";
  layout.semaphores.resize(time.devices[0].semaphores.size());
  const Scene scene = layout_kernel_time(layout, time, {}, canvas(1400, 800));
  std::vector<int> seen(time.events.size(), 0);
  for (const RectItem& rect : scene.rects()) {
    if (rect.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(rect.id)];
    if (id.kind == ItemId::Kind::event) ++seen[static_cast<size_t>(id.event)];
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(time.events.size()));
  EXPECT_TRUE(any_text(scene, "DMAs in flight"));
  EXPECT_TRUE(any_text(scene, "vmem of device 0"));
  EXPECT_FALSE(layout_kernel_time({}, {}, {}, canvas(300, 200)).texts().empty());
}

KernelLayout layout_of(const std::string& id) {
  return replay_of(id, 4, kernels::schedule_of(0)).program().layout;
}

TEST(KernelFix, WhatMendsAKernelIsMarked) {
  const KernelLayout broken = layout_of("ar.two_slot.no_capacity"), mended = layout_of("ar.two_slot");
  std::vector<std::string> came;
  size_t changed = 0;
  for (const KernelLinePair& pair : compare_kernels(broken.listing, mended.listing)) {
    EXPECT_NE(pair.mended, 0) << "nothing is taken away";
    const std::string& line = mended.listing.lines[static_cast<size_t>(pair.mended) - 1];
    if (pair.broken == 0) {
      came.push_back(line);
    } else if (broken.listing.lines[static_cast<size_t>(pair.broken) - 1] != line) {
      ++changed;
    }
  }
  ASSERT_EQ(came.size(), 3U);
  for (const std::string& line : came) EXPECT_NE(line.find("capacity"), std::string::npos) << line;
  const Scene scene = layout_kernel_fix(broken, mended, 0, canvas(1400, 800));
  EXPECT_EQ(scene.rects().size(), 3 + 2 * changed) << "a line that became another is marked on both sides";
  EXPECT_EQ(scene.accessible().size(), 3 + 2 * changed);
}

TEST(KernelFix, ALineThatBecameAnotherStandsBesideIt) {
  const KernelLayout broken = layout_of("ag.ring.one_semaphore"), mended = layout_of("ag.ring");
  int changed = 0;
  for (const KernelLinePair& pair : compare_kernels(broken.listing, mended.listing)) {
    ASSERT_NE(pair.broken, 0);
    ASSERT_NE(pair.mended, 0);
    if (pair.broken > 1 && broken.listing.lines[static_cast<size_t>(pair.broken) - 1] !=
                               mended.listing.lines[static_cast<size_t>(pair.mended) - 1])
      ++changed;
  }
  EXPECT_EQ(changed, 2) << "the semaphores, and which of them a step takes";
}

}  // namespace
}  // namespace shardscope
