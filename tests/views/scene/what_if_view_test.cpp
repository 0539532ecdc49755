// SPDX-License-Identifier: Apache-2.0
// The answer to a question: the run above its ghost, what changed and what would help.
#include <algorithm>

#include "engine/study/difference.h"
#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/core/pen.h"

namespace shardscope::what_if_view_test {
namespace {

// wang.os on links of col that are twice as fast.
struct Asked {
  SampleRun base;
  std::shared_ptr<Run> then = std::make_shared<Run>(base.input().run);
  std::unique_ptr<TraceSource> trace;

  Asked() {
    ScheduleOptions options;
    options.overrides.axes = {{"row", 2}, {"col", 2}};
    then->timeline = schedule(then->program, then->hardware, options, {}).value();
    trace = memory_trace(then);
  }
  ViewInput input() const { return {*then, *trace, nullptr}; }
  WhatIfAnswer answer() const {
    WhatIfAnswer out;
    out.base = split_of(base.input().run.timeline);
    out.then = split_of(then->timeline);
    return out;
  }
};

TEST(WhatIfTimeline, StandsBeforeItsGhostOnOneAxisWithTheOldEndMarked) {
  const Asked asked;
  const Canvas c = canvas(1200, 600);
  const Scene scene = layout_what_if_timeline(asked.input(), asked.base.input(), {}, {}, c);
  ASSERT_LT(asked.answer().delta(), 0);
  EXPECT_TRUE(shows(scene, signed_picoseconds(asked.answer().delta())));
  EXPECT_TRUE(shows(scene, "baseline")) << "the legend says which is which";
  const TimeAxis axis = what_if_axis(asked.input(), asked.base.input(), {}, c);
  EXPECT_EQ(axis.range.end, asked.base.input().trace.total()) << "the longer of the two";
  // The ghost's last event ends where the run did, and it looks out from behind the new events.
  const Color ghost = mixed(c.theme.background, c.theme.muted_text, 0.8);
  float last = 0;
  int seen = 0;
  for (const RectItem& r : scene.rects()) {
    if (r.border_width != 1 || r.border != ghost || r.rect.y < 40) continue;
    ++seen;
    last = std::max(last, r.rect.right());
  }
  EXPECT_GT(seen, 8);
  EXPECT_NEAR(last, axis.x_of(asked.base.input().trace.total()), 3);
  const auto marks = std::ranges::count_if(scene.lines(), [](const LineItem& l) {
    return l.dashed && l.points.size() == 2 && l.points[0].x == l.points[1].x;
  });
  EXPECT_GE(marks, 1) << "the old end in the new run";
  expect_words_inside(scene);
}

TEST(WhatIfTimeline, IsZoomedAsATimeline) {
  const Asked asked;
  const Canvas c = canvas(1200, 600);
  const TimeRange whole = what_if_axis(asked.input(), asked.base.input(), {}, c).range;
  TimelineViewport viewport;
  viewport.range = {whole.end / 4, whole.end / 2};
  EXPECT_EQ(what_if_axis(asked.input(), asked.base.input(), viewport, c).range, viewport.range);
  EXPECT_NE(layout_what_if_timeline(asked.input(), asked.base.input(), viewport, {}, c),
            layout_what_if_timeline(asked.input(), asked.base.input(), {}, {}, c));
}

TEST(WhatIfBars, AreAsLongAsTheirTimesAndFitAnyCanvas) {
  const Asked asked;
  const std::vector<Sensitivity> rows = {{"link col", 45e9, "B/s", -5'000'000, 2.4},
                                         {"latency", 1e-6, "s", -1'000'000, std::nullopt},
                                         {"peak", 197e12, "FLOP/s", 0, 1.0}};
  for (const float width : {340.0F, 676.0F, 900.0F, 1600.0F}) {
    const Scene scene = layout_what_if_bars(asked.answer(), rows, canvas(width, 420));
    EXPECT_TRUE(shows(scene, "until ×2.4")) << width;
    EXPECT_TRUE(shows(scene, "to the end")) << width;
    EXPECT_TRUE(shows(scene, "nothing")) << width;
    EXPECT_TRUE(shows(scene, "exposed")) << width;
    EXPECT_TRUE(std::ranges::any_of(scene.texts(),
                                    [](const TextItem& t) {
                                      return t.text == "what 10 % better would give" ||
                                             t.text == "what 10 % better would give · how far it is useful";
                                    }))
        << "the heading is whole, at " << width;
    expect_words_inside(scene);
    std::vector<float> lengths;
    for (const RectItem& r : scene.rects())
      if (r.id >= 0 && r.fill.a > 200) lengths.push_back(r.rect.w);
    ASSERT_EQ(lengths.size(), 2U) << "none for what gives nothing";
    EXPECT_NEAR(lengths[0] / lengths[1], 5, 0.1);
  }
}

}  // namespace
}  // namespace shardscope::what_if_view_test
