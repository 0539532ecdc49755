// SPDX-License-Identifier: Apache-2.0
// The kernel canvas: what it shows of one step of a schedule.
#include "views/scene/chip/kernel_canvas.h"

#include <algorithm>
#include <cmath>

#include "golden_scene.h"
#include "sample_kernel.h"
#include "scene_claims.h"
#include "views/scene/chip/kernel_time_view.h"

namespace shardscope::kernel_canvas_test {
namespace {

using kernels::KernelReplay;

Scene scene_at(const KernelReplay& replay, int64_t step, const KernelViewport& viewport = {}) {
  const KernelFrame frame = replay.frame(step);
  return layout_kernel({replay.program().layout, frame, replay.steps()}, viewport, canvas(1400, 800));
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
  EXPECT_EQ(std::count_if(scene.lines().begin(), scene.lines().end(),
                          [](const LineItem& l) { return l.arrow && l.id >= 0; }),
            4);
  EXPECT_TRUE(shows(scene, "DMA 3"));
  for (const LineItem& line : scene.lines()) {
    if (!line.arrow || line.id < 0) continue;
    const auto id = scene.hit(line.points.back());
    ASSERT_TRUE(id.has_value());
  }
}

TEST(KernelCanvas, AFindingIsShownFromItsStepOnWithWhatIsMissing) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const int64_t step = replay.outcome().findings.front().step;
  EXPECT_TRUE(shows(scene_at(replay, step), "nothing found so far"));
  const Scene after = scene_at(replay, step + 1);
  EXPECT_TRUE(shows(after, "shared_receive"));
  const auto& items = after.accessible();
  EXPECT_TRUE(std::any_of(items.begin(), items.end(), [](const AccessibleItem& item) {
    return item.name.find("missing: a receive semaphore per copy") != std::string::npos;
  }));
}

// A lesson asks what is wrong: the head of the text says it.
TEST(KernelCanvas, AMomentOfALessonLeavesOutWhatSaysWhichKernelItIs) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const KernelLayout& layout = replay.program().layout;
  ASSERT_GT(layout.listing.head, 0);
  for (const int64_t step : {int64_t{0}, replay.steps()}) {
    const Scene scene =
        layout_kernel_moment(layout, replay.frame(step), replay.steps(), {}, canvas(1280, 1000));
    EXPECT_FALSE(shows(scene, "mended by"));
    EXPECT_FALSE(shows(scene, "title"));
    EXPECT_FALSE(shows(scene, "One receive semaphore"));
    EXPECT_TRUE(shows(scene, "semaphore_wait(barrier, 2)"));
  }
  EXPECT_TRUE(shows(scene_at(replay, 0), "mended by"));
}

TEST(KernelCanvas, AMomentTellsInFullWhatWasFoundLast) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const KernelFrame frame = replay.frame(replay.steps());
  const Scene scene =
      layout_kernel_moment(replay.program().layout, frame, replay.steps(), {}, canvas(1280, 720));
  const KernelViewInput told{replay.program().layout, frame, replay.steps(),
                             &frame.findings.back(),  {},    true};
  EXPECT_EQ(scene, layout_kernel(told, {}, canvas(1280, 720)));
}

TEST(KernelCanvas, NoLineOfCodeIsCutOff) {
  for (const kernels::KernelEntry& entry : kernels::catalogue()) {
    if (entry.axes != 1) continue;
    const KernelReplay replay = replay_of(entry.id, 4, kernels::schedule_of(0));
    const KernelFrame frame = replay.frame(0);
    for (const auto& [width, height] : {std::pair(1280.0F, 640.0F), std::pair(620.0F, 460.0F)}) {
      KernelViewport top;
      top.first_line = 1;
      const Scene scene =
          layout_kernel({replay.program().layout, frame, replay.steps()}, top, canvas(width, height));
      for (const TextItem& text : scene.texts()) {
        const bool code = text.face == Face::mono && text.px == 13 * 0.9F;
        EXPECT_FALSE(code && text.text.find("…") != std::string::npos) << entry.id << ": " << text.text;
      }
    }
  }
  const Scene fix =
      layout_kernel_fix(layout_of("ag.ring.one_semaphore"), layout_of("ag.ring"), 0, canvas(720, 900));
  for (const TextItem& text : fix.texts()) EXPECT_EQ(text.text.find("…"), std::string::npos) << text.text;
}

TEST(KernelCanvas, WhatTheTwinHasOtherwiseIsMarked) {
  const KernelReplay replay = replay_of("ag.ring", 4, kernels::schedule_of(0));
  const KernelLayout& layout = replay.program().layout;
  const auto unlike = lines_unlike(layout.listing, layout_of("ag.ring.one_semaphore").listing);
  ASSERT_EQ(unlike.size(), 2U) << "the semaphores, and which of them a step takes";
  const auto marks = [&](const std::vector<int32_t>& lines) {
    const Scene scene =
        layout_kernel_moment(layout, replay.frame(replay.steps()), replay.steps(), lines, canvas(1280, 900));
    return std::ranges::count_if(scene.accessible(), [](const AccessibleItem& item) {
      return item.name.find("the twin has this line otherwise") != std::string::npos;
    });
  };
  EXPECT_EQ(marks({}), 0);
  EXPECT_EQ(marks(unlike), 2);
}

TEST(KernelCanvas, LinesOfTheListingCarryTheDevicesThatStandThere) {
  const KernelReplay replay = replay_of("ag.ring", 4, {kernels::Policy::dma_late, 1});
  const Scene scene = scene_at(replay, step_with_dmas(replay, 4));
  EXPECT_TRUE(shows(scene, "hop.wait()"));
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
  EXPECT_TRUE(shows(scene, "DMAs in flight"));
  EXPECT_TRUE(shows(scene, "vmem of device 0"));
  EXPECT_FALSE(layout_kernel_time({}, {}, {}, canvas(300, 200)).texts().empty());
}

TEST(KernelCanvas, ADeviceThatWaitsSaysWhatItWantsAndWhoBringsIt) {
  const KernelReplay replay = replay_of("ag.ring", 4, {kernels::Policy::dma_late, 1});
  const int64_t step = step_with_dmas(replay, 4);
  const KernelFrame frame = replay.frame(step);
  const KernelViewInput input{replay.program().layout, frame, replay.steps()};
  std::string words;
  for (int32_t d = 0; d < 4; ++d) words += kernel_wait_text(input, d) + "\n";
  EXPECT_NE(words.find("has 0 B, needs 4.0 KiB; DMA "), std::string::npos) << words;
  EXPECT_NE(words.find(" brings it"), std::string::npos) << words;
  bool nobody = false;
  for (int64_t at = 0; at <= replay.steps(); ++at) {
    const KernelFrame then = replay.frame(at);
    for (int32_t d = 0; d < 4; ++d)
      nobody = nobody || kernel_wait_text({replay.program().layout, then, replay.steps()}, d)
                                 .find("barrier has 1, needs 2") != std::string::npos;
  }
  EXPECT_TRUE(nobody) << "counts, not bytes";
}

TEST(KernelCanvas, TheFindingLookedAtIsToldInFullAndItsLinesAreMarked) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const KernelFinding& finding = replay.outcome().findings.front();
  const KernelFrame frame = replay.frame(finding.step + 1);
  const Scene scene =
      layout_kernel({replay.program().layout, frame, replay.steps(), &finding}, {}, canvas(1400, 800));
  EXPECT_TRUE(shows(scene, "shared_receive, noticed in step"));
  EXPECT_TRUE(shows(scene, "What is missing: "));
  const auto& items = scene.accessible();
  EXPECT_TRUE(std::any_of(items.begin(), items.end(), [](const AccessibleItem& item) {
    return item.name.find("access 1") != std::string::npos;
  }));
  const auto part = std::count_if(items.begin(), items.end(), [](const AccessibleItem& item) {
    return item.name.find("part of the finding") != std::string::npos;
  });
  EXPECT_EQ(part, static_cast<std::ptrdiff_t>(finding.devices.size()));
  expect_words_inside(scene);
}

TEST(KernelCanvas, EverythingThatCanBeHitHasATooltip) {
  const KernelReplay replay = replay_of("ar.two_slot", 4, {kernels::Policy::dma_late, 1});
  const KernelFrame frame = replay.frame(step_with_dmas(replay, 2));
  const KernelViewInput input{replay.program().layout, frame, replay.steps()};
  const Scene scene = layout_kernel(input, {}, canvas(1400, 800));
  int said = 0;
  for (const ItemId& id : scene.ids()) {
    if (id.kind == ItemId::Kind::instruction) continue;  // the text is there already
    EXPECT_FALSE(describe_kernel(input, id).empty()) << static_cast<int>(id.kind) << " " << id.index;
    ++said;
  }
  EXPECT_GT(said, 10);
}

TEST(KernelCanvas, NeighboursOnARingStandSideBySide) {
  for (const int n : {4, 6, 8, 12}) {
    const KernelReplay replay = replay_of("ag.ring", n, kernels::schedule_of(0));
    const Scene scene = scene_at(replay, 0);
    std::vector<Rect> cards(static_cast<size_t>(n));
    for (const RectItem& rect : scene.rects()) {
      if (rect.id < 0) continue;
      const ItemId& id = scene.ids()[static_cast<size_t>(rect.id)];
      if (id.kind == ItemId::Kind::device) cards[static_cast<size_t>(id.device)] = rect.rect;
    }
    for (size_t d = 0; d < cards.size(); ++d) {
      const Rect &a = cards[d], &b = cards[(d + 1) % cards.size()];
      const bool same_row = a.y == b.y && std::abs(a.x - b.x) < 1.5F * a.w;
      const bool same_column = a.x == b.x && std::abs(a.y - b.y) < 1.5F * a.h;
      EXPECT_TRUE(same_row || same_column) << "device " << d << " of " << n;
    }
  }
}

TEST(KernelCanvas, ZoomMakesDevicesLargerAndKeepsThemInTheirPlace) {
  const KernelReplay replay = replay_of("ag.ring", 8, kernels::schedule_of(0));
  KernelViewport near;
  near.zoom = 3;
  const auto width_of = [](const Scene& scene) {
    for (const RectItem& rect : scene.rects()) {
      if (rect.id >= 0 && scene.ids()[static_cast<size_t>(rect.id)].kind == ItemId::Kind::device)
        return rect.rect.w;
    }
    return 0.0F;
  };
  EXPECT_GT(width_of(scene_at(replay, 30, near)), 2.5F * width_of(scene_at(replay, 30)));
}

TEST(KernelCanvas, Golden) {
  const KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const KernelFinding& finding = replay.outcome().findings.front();
  const KernelFrame frame = replay.frame(finding.step + 1);
  expect_golden("kernel", layout_kernel({replay.program().layout, frame, replay.steps(), &finding}, {},
                                        canvas(1200, 640)));
}

TEST(KernelTimeView, Golden) {
  const KernelTime time = time_of("ag_matmul.fused");
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  const auto program = *kernels::build_kernel(*kernels::find_kernel("ag_matmul.fused"), options);
  expect_golden("kernel_time", layout_kernel_time(program.layout, time, {}, canvas(1000, 560)));
}

TEST(KernelFix, Golden) {
  expect_golden("kernel_fix", layout_kernel_fix(layout_of("ag.ring.one_semaphore"), layout_of("ag.ring"), 0,
                                                canvas(1200, 560)));
}

TEST(KernelFix, WhatMendsAKernelIsMarked) {
  const KernelLayout broken = layout_of("ar.two_slot.no_capacity"), mended = layout_of("ar.two_slot");
  std::vector<std::string> came;
  size_t changed = 0;
  for (const KernelLinePair& pair : compare_kernels(broken.listing, mended.listing)) {
    if (pair.broken <= broken.listing.head && pair.mended <= mended.listing.head) continue;
    EXPECT_NE(pair.mended, 0) << "nothing is taken away";
    const std::string& line = mended.listing.lines[static_cast<size_t>(pair.mended) - 1];
    if (pair.broken == 0) {
      came.push_back(line);
    } else if (broken.listing.lines[static_cast<size_t>(pair.broken) - 1] != line) {
      ++changed;
    }
  }
  ASSERT_EQ(came.size(), 5U);
  EXPECT_EQ(std::ranges::count_if(
                came, [](const std::string& line) { return line.find("capacity") != std::string::npos; }),
            3);
  const Scene scene = layout_kernel_fix(broken, mended, 0, canvas(1400, 800));
  EXPECT_EQ(scene.rects().size(), 5 + 2 * changed) << "a line that became another is marked on both sides";
  EXPECT_EQ(scene.accessible().size(), 5 + 2 * changed) << "but for the heads";
}

TEST(KernelFix, ALineThatBecameAnotherStandsBesideIt) {
  const KernelLayout broken = layout_of("ag.ring.one_semaphore"), mended = layout_of("ag.ring");
  int changed = 0;
  for (const KernelLinePair& pair : compare_kernels(broken.listing, mended.listing)) {
    if (pair.broken <= broken.listing.head && pair.mended <= mended.listing.head) continue;
    ASSERT_NE(pair.broken, 0);
    ASSERT_NE(pair.mended, 0);
    if (broken.listing.lines[static_cast<size_t>(pair.broken) - 1] !=
        mended.listing.lines[static_cast<size_t>(pair.mended) - 1])
      ++changed;
  }
  EXPECT_EQ(changed, 2) << "the semaphores, and which of them a step takes";
}

}  // namespace
}  // namespace shardscope::kernel_canvas_test
