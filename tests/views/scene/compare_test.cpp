// SPDX-License-Identifier: Apache-2.0
// Several runs on one axis: where they stand, what is marked in all of them, bars that add up.
#include "views/scene/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "engine/base/units.h"
#include "sample_run.h"

namespace shardscope::compare_scene_test {
namespace {

Canvas canvas(float width = 1200, float height = 700) {
  Canvas out;
  out.width = width;
  out.height = height;
  out.theme = light_theme();
  return out;
}

// The rows that a picture reads, of three runs; times of one operation that all of them have.
struct Compared {
  explicit Compared(const char* second = "collective.os") : b(second) {
    for (const SampleRun* run : {&a, &b, &c}) {
      inputs.push_back(run->input());
      const Timeline& t = run->input().run.timeline;
      d.runs.push_back({std::nullopt, run->input().run.strategy, "", t.total, summarise(t).device});
    }
    for (const Term term : kTerms) {
      TimeRow row{name(term), {}};
      for (const ViewInput& in : inputs)
        row.values.push_back(terms_of(in.run.timeline)[static_cast<size_t>(term)]);
      d.terms.push_back(row);
    }
    OperationRow dots{"product", {}};
    for (size_t r = 0; r < inputs.size(); ++r) dots.sides.push_back(dots_of(r));
    d.operations.push_back(dots);
  }
  OperationSide dots_of(size_t r) const {
    OperationSide side;
    side.range = {INT64_MAX, 0};
    std::set<int32_t> dots;
    for (const Event& e : inputs[r].run.timeline.events) {
      if (e.kind != EventKind::compute || e.device != d.runs[r].device || e.flops <= 0) continue;
      side.range = {std::min(side.range.start, e.start), std::max(side.range.end, e.end)};
      dots.insert(e.instruction);
      ++side.count;
    }
    side.instructions.assign(dots.begin(), dots.end());
    return side;
  }
  CompareInput input() const { return {inputs, d}; }

  SampleRun a{"wang.os"}, b, c{"meshslice.os"};
  std::vector<ViewInput> inputs;
  RunDifference d;
};

TEST(Compare, RunsWithOtherLanesDoNotCoverEachOther) {
  const Compared runs("gather.lhs");
  const Scene scene = layout_compare(runs.input(), {}, {}, canvas());
  std::vector<float> heads(runs.inputs.size() + 1, INFINITY);
  for (const RectItem& item : scene.rects())
    if (item.id >= 0 && scene.ids()[static_cast<size_t>(item.id)].kind == ItemId::Kind::candidate)
      heads[static_cast<size_t>(scene.ids()[static_cast<size_t>(item.id)].index)] = item.rect.y;
  size_t events = 0;
  for (const RectItem& item : scene.rects()) {
    if (item.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(item.id)];
    if (id.kind != ItemId::Kind::event) continue;
    ++events;
    EXPECT_GT(item.rect.y, heads[static_cast<size_t>(id.index)]) << id.index;
    EXPECT_LE(item.rect.bottom(), heads[static_cast<size_t>(id.index) + 1]) << id.index;
  }
  EXPECT_GT(events, 10U);
}

TEST(Compare, LinesRunsUpByStartEndAndOperation) {
  const Compared all;
  CompareViewport viewport;
  for (size_t r = 0; r < 3; ++r) EXPECT_EQ(compare_offset(all.d, viewport, r), 0);
  viewport.line_up = LineUp::end;
  std::set<Picoseconds> ends, starts;
  for (size_t r = 0; r < 3; ++r) ends.insert(compare_offset(all.d, viewport, r) + all.d.runs[r].total);
  EXPECT_EQ(ends.size(), 1U);
  EXPECT_EQ(compare_bounds(all.d, viewport).end, *ends.begin());
  viewport.line_up = LineUp::operation;
  viewport.operation = 0;
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_GE(compare_offset(all.d, viewport, r), 0);
    starts.insert(compare_offset(all.d, viewport, r) + all.d.operations[0].sides[r].range.start);
  }
  EXPECT_EQ(starts.size(), 1U);
}

TEST(Compare, EveryRunHasItsHeadItsEventsAndItsLetter) {
  const Compared all;
  const Scene scene = layout_compare(all.input(), {}, {}, canvas());
  std::set<int32_t> runs_with_events;
  for (const ItemId& id : scene.ids())
    if (id.kind == ItemId::Kind::event) runs_with_events.insert(id.index);
  EXPECT_EQ(runs_with_events, (std::set<int32_t>{0, 1, 2}));
  for (const char* head : {"A, wang.os", "B, collective.os", "C, meshslice.os"})
    EXPECT_TRUE(std::ranges::any_of(scene.accessible(), [&](const AccessibleItem& item) {
      return item.name.starts_with(head);
    })) << head;
}

TEST(Compare, BarsSayWhatTheTermsDifferBy) {
  const Compared all;
  const Scene scene = layout_compare(all.input(), {}, {}, canvas());
  for (size_t r = 1; r < 3; ++r) {
    Picoseconds sum = 0;
    for (const TimeRow& row : all.d.terms) {
      sum += row.delta(r);
      const std::string name = letter_of(r) + "−A " + row.name + " " + signed_picoseconds(row.delta(r));
      EXPECT_TRUE(std::ranges::any_of(scene.accessible(), [&](const AccessibleItem& item) {
        return item.name == name;
      })) << name;
    }
    EXPECT_EQ(sum, all.d.gap(r));
    EXPECT_TRUE(std::ranges::any_of(
        scene.texts(), [&](const TextItem& text) { return text.text == signed_picoseconds(all.d.gap(r)); }));
  }
}

// How many outlines of the hover's colour stand in the block of each run.
std::vector<int> hovered_in(const Compared& all, const ItemId& hovered) {
  CompareMarks marks;
  marks.hovered = hovered;
  const Canvas c = canvas();
  const Scene plain = layout_compare(all.input(), {}, {}, c),
              scene = layout_compare(all.input(), {}, marks, c);
  std::vector<float> heads;
  for (const AccessibleItem& item : scene.accessible())
    if (item.id >= 0 && scene.ids()[static_cast<size_t>(item.id)].kind == ItemId::Kind::candidate)
      heads.push_back(item.rect.y);
  std::vector<int> out(heads.size(), 0);
  for (const RectItem& r : scene.rects()) {
    if (r.border != c.theme.hover || r.border_width != 1.5F) continue;
    const auto block = std::upper_bound(heads.begin(), heads.end(), r.rect.y) - heads.begin() - 1;
    if (block >= 0) ++out[static_cast<size_t>(block)];
  }
  EXPECT_NE(plain, scene);
  return out;
}

TEST(Compare, AHoveredChunkIsMarkedInEveryRunThatMovesItAndAProductInAll) {
  const Compared all;
  const auto first_of = [&](size_t run, EventKind kind) {
    const auto& events = all.inputs[run].run.timeline.events;
    for (size_t e = 0; e < events.size(); ++e) {
      if (events[e].kind != kind || events[e].device != all.d.runs[run].device) continue;
      if (kind == EventKind::compute && events[e].flops <= 0) continue;
      ItemId item;
      item.kind = ItemId::Kind::event;
      item.event = static_cast<int32_t>(e);
      item.index = static_cast<int32_t>(run);
      item.instruction = events[e].instruction;
      return item;
    }
    return ItemId();
  };
  const std::vector<int> products = hovered_in(all, first_of(0, EventKind::compute));
  ASSERT_EQ(products.size(), 3U);
  for (size_t r = 0; r < 3; ++r) EXPECT_GE(products[r], all.d.operations[0].sides[r].count) << r;
  // The collective run gathers all that wang.os moves by hand.
  const std::vector<int> chunk = hovered_in(all, first_of(0, EventKind::transfer));
  EXPECT_GE(chunk[0], 1);
  EXPECT_GE(chunk[1], 1);
}

TEST(Compare, AChosenOperationIsInSightInEveryRun) {
  const Compared all;
  CompareViewport viewport;
  const TimeRange range = compare_range_of(all.d, viewport, 0);
  for (const OperationSide& side : all.d.operations[0].sides) {
    EXPECT_LE(range.start, side.range.start);
    EXPECT_GE(range.end, side.range.end);
  }
  EXPECT_EQ(compare_range_of(all.d, viewport, 7).length(), 0);
}

TEST(Compare, NothingIsDrawnOutsideOfSmallAndLargeCanvases) {
  const Compared all;
  for (const auto& [width, height] :
       {std::pair(300.0F, 200.0F), std::pair(900.0F, 300.0F), std::pair(2560.0F, 1440.0F)}) {
    const Scene scene = layout_compare(all.input(), {}, {}, canvas(width, height));
    for (const TextItem& text : scene.texts()) {
      EXPECT_GE(text.at.x, -1) << text.text;
      EXPECT_LE(text.at.x, width + 1) << text.text;
    }
    EXPECT_FALSE(scene.rects().empty());
  }
}

}  // namespace
}  // namespace shardscope::compare_scene_test
