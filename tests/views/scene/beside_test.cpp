// SPDX-License-Identifier: Apache-2.0
// A trace below its run: aligned where both begin, told apart by hatch and word, one click for both.
#include "views/scene/compare/beside.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "sample_run.h"
#include "scene_claims.h"

namespace shardscope::beside_scene_test {
namespace {

// A run and a trace in which every product takes twice its time; it begins a second after the profile does.
struct Beside {
  Beside() : view(run.input()) {
    const Run& of = view.run;
    residual.run = of.strategy, residual.run_id = 3, residual.trace = "a trace";
    residual.device = summarise(of.timeline).device, residual.measured_device = 0;
    residual.simulated = of.timeline.total;
    trace.lanes = {"Stream #7", "Stream #13"};
    trace.device_names = {"GPU 0"};
    ResidualOperation row;
    row.instruction = "dots", row.op = "product", row.kind = MeasuredKind::product;
    std::set<int32_t> dots;
    for (const Event& e : of.timeline.events) {
      if (e.kind != EventKind::compute || e.device != residual.device) continue;
      const Picoseconds length = e.end - e.start;
      trace.events.push_back({kBegin + 2 * e.start, kBegin + 2 * e.start + 2 * length, 0, 0, 0, 0});
      dots.insert(e.instruction);
      row.simulated += length;
      residual.measured = std::max(residual.measured, 2 * e.end);
    }
    row.instructions.assign(dots.begin(), dots.end());
    row.measured = 2 * row.simulated;
    row.range = {0, of.timeline.total};
    trace.operations.resize(2);
    trace.operations[0].op = "gemm";
    trace.operations[0].kind = MeasuredKind::product;
    trace.operations[1].op = "memset";
    trace.events.push_back({kBegin + residual.measured, kBegin + residual.measured + 5'000'000, 0, 0, 1, 1});
    residual.measured += 5'000'000;
    residual.steps = {{0, kBegin}, {kBegin, kBegin + residual.measured}};
    residual.step = 1;
    residual.operation_of.assign(trace.events.size(), 0);
    residual.operation_of.back() = -1;
    residual.operations = {row};
    for (const ResidualTerm t : kResidualTerms) residual.terms.push_back({t, 0, std::nullopt});
    residual.terms[0] = {ResidualTerm::compute, row.simulated, row.measured};
    residual.terms[6].measured = residual.measured - residual.simulated - row.residual();
    residual.matched_share = 0.8;
  }
  BesideInput input() const { return {view, trace, residual}; }

  static constexpr Picoseconds kBegin = 1'000'000'000'000;
  SampleRun run{"wang.os"};
  ViewInput view;
  MeasuredTrace trace;
  Residual residual;
};

std::vector<RectItem> events_of(const Scene& scene, int32_t tag) {
  std::vector<RectItem> out;
  for (const RectItem& r : scene.rects()) {
    if (r.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(r.id)];
    if (id.kind == ItemId::Kind::event && id.index == tag && r.pattern_color.a + r.fill.a > 0)
      out.push_back(r);
  }
  return out;
}

TEST(BesideScene, MeasuredEventsAreHatchedAndSimulatedOnesAreNot) {
  const Beside b;
  const Scene scene = layout_beside(b.input(), {}, {}, canvas(1200, 700));
  size_t hatched = 0;
  for (const RectItem& r : events_of(scene, kMeasuredTag)) hatched += r.pattern == Pattern::cross ? 1 : 0;
  EXPECT_EQ(hatched, b.trace.events.size());
  for (const RectItem& r : events_of(scene, kSimulatedTag)) EXPECT_NE(r.pattern, Pattern::cross);
  EXPECT_GT(events_of(scene, kSimulatedTag).size(), 10U);
}

TEST(BesideScene, TheStepBeginsWhereTheRunBeginsWhateverTheProfilersClockSays) {
  const Beside b;
  const Canvas c = canvas(1200, 700);
  const Scene scene = layout_beside(b.input(), {}, {}, c);
  const TimeAxis axis = beside_axis(b.input(), {}, c);
  EXPECT_EQ(axis.range, (TimeRange{0, b.residual.measured}));
  const auto measured = events_of(scene, kMeasuredTag);
  for (const RectItem& r : measured) {
    if (r.pattern == Pattern::none) continue;  // the ground of its label
    const ItemId& id = scene.ids()[static_cast<size_t>(r.id)];
    const MeasuredEvent& e = b.trace.events[static_cast<size_t>(id.event)];
    EXPECT_NEAR(r.rect.x, axis.x_of(e.start - Beside::kBegin), 2);
  }
}

TEST(BesideScene, MeasuredLanesStandBelowTheSimulatedOnes) {
  const Beside b;
  const Scene scene = layout_beside(b.input(), {}, {}, canvas(1200, 700));
  float lowest = 0, highest = 10'000;
  for (const RectItem& r : events_of(scene, kSimulatedTag)) lowest = std::max(lowest, r.rect.bottom());
  for (const RectItem& r : events_of(scene, kMeasuredTag)) highest = std::min(highest, r.rect.y);
  EXPECT_LT(lowest, highest);
}

TEST(BesideScene, EveryMeasuredThingIsCalledMeasured) {
  const Beside b;
  const Scene scene = layout_beside(b.input(), {}, {}, canvas(1200, 700));
  size_t events = 0, foreign = 0;
  for (const AccessibleItem& item : scene.accessible()) {
    if (item.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(item.id)];
    if (id.kind != ItemId::Kind::event || id.index != kMeasuredTag) continue;
    ++events;
    EXPECT_TRUE(item.name.starts_with("measured, GPU 0, ")) << item.name;
    foreign += item.name.ends_with("not in the run") ? 1 : 0;
  }
  EXPECT_GT(events, 3U);
  EXPECT_EQ(foreign, 1U);
  const auto said = [&](std::string_view words) {
    return std::ranges::any_of(
        scene.accessible(), [&](const AccessibleItem& a) { return a.name.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(said("simulated: wang.os (run 3), "));
  EXPECT_TRUE(said("measured: a trace, step 2 of 2, "));
  EXPECT_TRUE(said("80 % of the measured device time matched"));
}

TEST(BesideScene, AClickOnEitherSideOrABarIsTheSameOperationAndMarksBoth) {
  const Beside b;
  const Canvas c = canvas(1200, 700);
  const Scene scene = layout_beside(b.input(), {}, {}, c);
  const RectItem measured = events_of(scene, kMeasuredTag).front();
  const auto hit = scene.hit({measured.rect.x + measured.rect.w / 2, measured.rect.y + measured.rect.h / 2});
  ASSERT_TRUE(hit);
  EXPECT_EQ(beside_operation(b.input(), *hit), 0);
  std::set<int> simulated;
  for (const RectItem& r : events_of(scene, kSimulatedTag))
    simulated.insert(beside_operation(b.input(), scene.ids()[static_cast<size_t>(r.id)]));
  EXPECT_TRUE(simulated.contains(0));
  EXPECT_TRUE(simulated.contains(-1));
  ItemId bar;
  bar.kind = ItemId::Kind::candidate;
  bar.index = 0;
  EXPECT_TRUE(std::ranges::find(scene.ids(), bar) != scene.ids().end());
  EXPECT_EQ(beside_operation(b.input(), bar), 0);
  ItemId foreign;
  foreign.kind = ItemId::Kind::event;
  foreign.index = kMeasuredTag;
  foreign.event = static_cast<int32_t>(b.trace.events.size()) - 1;
  EXPECT_EQ(beside_operation(b.input(), foreign), -1);
  BesideViewport chosen;
  chosen.operation = 0;
  const Scene marked = layout_beside(b.input(), chosen, {}, c);
  const size_t products = b.trace.events.size() - 1;
  EXPECT_EQ(
      std::ranges::count_if(marked.rects(), [&](const RectItem& r) { return r.border == c.theme.selection; }),
      static_cast<std::ptrdiff_t>(2 * products + 1));  // in both lanes, and the bar
}

TEST(BesideScene, GoingToAnOperationShowsItOnBothSides) {
  const Beside b;
  const TimeRange range = beside_range_of(b.input(), 0);
  EXPECT_EQ(range.start, 0);
  EXPECT_GE(range.end, b.residual.measured - 5'000'000);
  EXPECT_EQ(beside_range_of(b.input(), 1), TimeRange{});
}

TEST(BesideScene, ManyThinEventsBecomeOneThatSaysHowMany) {
  Beside b;
  b.trace.events.clear();
  for (int i = 0; i < 20'000; ++i)
    b.trace.events.push_back({Beside::kBegin + i * 1000, Beside::kBegin + i * 1000 + 900, 0, 0, 0, 0});
  b.residual.operation_of.assign(b.trace.events.size(), 0);
  const Scene scene = layout_beside(b.input(), {}, {}, canvas(1200, 700));
  EXPECT_LT(scene.rects().size(), 3000U);
  int64_t events = 0;
  for (const RectItem& r : scene.rects()) {
    if (r.id < 0 || r.pattern != Pattern::cross) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(r.id)];
    events += id.kind == ItemId::Kind::event_group ? id.index : 1;
  }
  EXPECT_EQ(events, 20'000);
}

TEST(BesideScene, TheTooltipSaysBothTimesAndOfAForeignKernelThatItIsNotOfTheRun) {
  const Beside b;
  const auto own = describe_measured(b.input(), 0);
  EXPECT_TRUE(own.front().starts_with("measured: gemm, "));
  EXPECT_NE(own.back().find("simulated"), std::string::npos);
  EXPECT_EQ(describe_measured(b.input(), static_cast<int32_t>(b.trace.events.size()) - 1).back(),
            "it is not an operation of this run");
}

}  // namespace
}  // namespace shardscope::beside_scene_test
