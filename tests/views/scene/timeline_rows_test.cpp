// SPDX-License-Identifier: Apache-2.0
// What is drawn of which devices, in every state of the rows.
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

#include "engine/mesh/chosen_devices.h"
#include "tests/views/scene/sample_run.h"
#include "views/scene/core/pen.h"
#include "views/scene/timeline/row_edits.h"

namespace shardscope::timeline_rows_test {
namespace {

using Drawn = std::map<std::pair<int32_t, int32_t>, int64_t>;  // events by device and lane

Drawn drawn(const Scene& scene) {
  Drawn out;
  std::set<int32_t> seen;
  for (const RectItem& rect : scene.rects()) {
    if (rect.id < 0) continue;
    const ItemId& item = scene.ids()[static_cast<size_t>(rect.id)];
    if (item.kind == ItemId::Kind::event && seen.insert(item.event).second) ++out[{item.device, item.lane}];
    if (item.kind == ItemId::Kind::event_group && seen.insert(item.event).second)
      out[{item.device, item.lane}] += item.index;
  }
  return out;
}

Drawn events_of(const SampleRun& run, const std::vector<int32_t>& devices) {
  Drawn out;
  for (const Event& e : run.input().run.timeline.events)
    if (std::ranges::find(devices, e.device) != devices.end()) ++out[{e.device, e.lane}];
  return out;
}

std::vector<int32_t> all_of(const SampleRun& run) {
  std::vector<int32_t> devices(static_cast<size_t>(run.trace().devices()));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

const SampleRun& sample() {
  static const SampleRun kRun("fox", "row=4,col=4", CollectiveAlgorithm::automatic, "tpu-v4");
  return kRun;
}

TimelineViewport apart(RowChoice rows = {}) {
  TimelineViewport out;
  out.collapse_equal = false;
  out.rows = std::move(rows);
  return out;
}

Scene scene_of(const TimelineViewport& viewport, float height = 9000, Selection selection = {}) {
  return layout_timeline(sample().input(), viewport, selection, canvas(2400, height));
}

bool says(const Scene& scene, const std::string& what) {
  return std::ranges::any_of(scene.accessible(),
                             [&](const AccessibleItem& a) { return a.name.find(what) != std::string::npos; });
}

TEST(TimelineRows, AllEventsOfAllDevicesAreThereAtEveryHeight) {
  for (const float height : {0.0F, 5.0F, 9.0F, 16.0F, 30.0F, 100.0F, 400.0F}) {
    RowChoice rows;
    rows.height = height;
    EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), all_of(sample()))) << height;
  }
}

// Neighbours that do the same are one rectangle there, which is as high as their rows together.
TEST(TimelineRows, RowsOfAPixelShowWhatDiffersFromTheRowAbove) {
  RowChoice rows;
  rows.height = 1;
  const EqualDevices equal = equal_devices(sample().input().run, sample().trace());
  std::vector<int32_t> different;
  for (int32_t d = 0; d < 16; ++d)
    if (d == 0 || equal.like[static_cast<size_t>(d)] != equal.like[static_cast<size_t>(d - 1)])
      different.push_back(d);
  ASSERT_LT(different.size(), 16U);
  EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), different));
  const TimelinePlaces at = timeline_places(sample().input(), apart(rows), canvas(2400, 900));
  EXPECT_EQ(at.row_height, 1);
  EXPECT_NEAR(at.content, 16 + 3, 0.01);
}

// Messages leave a port one behind the other, and each is under way for the latency longer: what is seen of
// one ends a pixel before the next begins, and its name stands there.
TEST(TimelineRows, MessagesThatOverlapAreToldApart) {
  const SampleRun run("meshslice.rs", "row=8,col=1", CollectiveAlgorithm::direct, "h200");
  const Scene scene = layout_timeline(run.input(), {}, {}, canvas(1600, 600));
  std::vector<std::pair<std::string, Rect>> names;
  Rect last;
  size_t messages = 0;
  for (const DrawRef& item : scene.order()) {
    const auto at = static_cast<size_t>(item.index);
    if (item.kind == DrawRef::Kind::text) {
      const TextItem& t = scene.texts()[at];
      const float width = estimate_text_width(t.text, t.px, t.face);
      if (t.align == Align::center)
        names.emplace_back(t.text, Rect{t.at.x - width / 2, t.at.y - 1, width, 2});
    }
    if (item.kind != DrawRef::Kind::rect || scene.rects()[at].id < 0) continue;
    const ItemId& of = scene.ids()[static_cast<size_t>(scene.rects()[at].id)];
    if (of.kind != ItemId::Kind::event) continue;
    const Rect& next = scene.rects()[at].rect;
    if (is_transfer(run.input().run.timeline.events[static_cast<size_t>(of.event)]) && next.x > last.x) {
      ++messages;
      if (next.y == last.y) {
        EXPECT_LT(last.right(), next.x);
      }
    }
    last = next;
    for (const auto& [name, box] : names) {
      const bool beside = next.x >= box.right() || next.right() <= box.x;
      EXPECT_TRUE(beside || next.bottom() <= box.y || next.y >= box.bottom()) << name;
    }
  }
  EXPECT_GT(messages, 20U);
  EXPECT_GT(names.size(), 8U);
}

// What has zero cost may happen while a product goes on, whose bar it does not end.
TEST(TimelineRows, WhatTakesNoTimeCutsNoBar) {
  auto run = std::make_shared<shardscope::Run>(sample().input().run);
  std::vector<Event>& events = run->timeline.events;
  const auto product = [](const Event& e) { return e.device == 0 && e.kind == EventKind::compute; };
  const auto first = std::ranges::find_if(events, product);
  const auto second = std::find_if(first + 1, events.end(), product);
  ASSERT_NE(second, events.end());
  first->end = second->end;
  second->end = second->start;
  const auto trace = memory_trace(run);
  const Scene scene = layout_timeline({*run, *trace, nullptr}, apart(), {}, canvas(2400, 9000));
  const auto bar = [&](std::vector<Event>::iterator event) {
    const auto found = std::ranges::find_if(scene.rects(), [&](const RectItem& rect) {
      if (rect.id < 0) return false;
      const ItemId& item = scene.ids()[static_cast<size_t>(rect.id)];
      return item.kind == ItemId::Kind::event && item.event == event - events.begin();
    });
    EXPECT_NE(found, scene.rects().end());
    return found == scene.rects().end() ? Rect() : found->rect;
  };
  EXPECT_GT(bar(first).right(), bar(second).right() + 4);
}

TEST(TimelineRows, FittingMakesAllRowsFit) {
  for (const float height : {300.0F, 500.0F, 900.0F, 3000.0F}) {
    RowChoice rows;
    rows.fit = true;
    const TimelinePlaces at = timeline_places(sample().input(), apart(rows), canvas(1600, height));
    EXPECT_LE(at.content, at.scrolled.h + 0.1F) << height;
    EXPECT_GT(at.content, at.scrolled.h * 0.5F) << height;
  }
}

TEST(TimelineRows, AFilterLeavesTheDevicesThatItNames) {
  for (const char* filter : {"row=0", "col=1..2", "row=0,3 col=1", "5 9..11", "(1,1) (2,3)"}) {
    RowChoice rows;
    rows.filter = filter;
    const auto devices = *chosen_devices(sample().input().run.mesh, filter);
    EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), devices)) << filter;
    EXPECT_EQ(row_devices(sample().input(), rows), devices);
  }
  RowChoice wrong;
  wrong.filter = "row=99";
  EXPECT_EQ(drawn(scene_of(apart(wrong))), events_of(sample(), all_of(sample())));
}

TEST(TimelineRows, WhatIsHiddenIsNotDrawnAndComesBack) {
  RowChoice rows;
  rows.filter = "row=1";
  hide(rows, {5, 6});
  hide(rows, {5});
  EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), {4, 7}));
  hide(rows, {4, 7});
  EXPECT_TRUE(drawn(scene_of(apart(rows))).empty());
  EXPECT_TRUE(says(scene_of(apart(rows)), "show all rows again"));
  show_all(rows);
  EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), all_of(sample())));
}

TEST(TimelineRows, PinnedRowsStayOnTopWhenTheOthersScroll) {
  RowChoice rows;
  rows.height = 40;
  toggle_pin(rows, 9);
  toggle_pin(rows, 3);
  EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), all_of(sample())));
  TimelineViewport viewport = apart(rows);
  const TimelinePlaces at = timeline_places(sample().input(), viewport, canvas(2400, 400));
  viewport.scroll_y = at.content - at.scrolled.h;
  const Scene scene = scene_of(viewport, 400);
  const Drawn there = drawn(scene);
  EXPECT_TRUE(there.contains({9, 0}));
  EXPECT_TRUE(there.contains({3, 0}));
  EXPECT_TRUE(there.contains({15, 0}));
  EXPECT_FALSE(there.contains({0, 0}));
  EXPECT_TRUE(says(scene, "device (2,1), pinned"));
  toggle_pin(rows, 9);
  EXPECT_EQ(rows.pinned, std::vector<int32_t>{3});
}

TEST(TimelineRows, OnlyRowsInSightCostAnything) {
  RowChoice rows;
  rows.height = 40;
  TimelineViewport viewport = apart(rows);
  viewport.scroll_y = 200;
  const TimelinePlaces at = timeline_places(sample().input(), viewport, canvas(2400, 400));
  std::vector<int32_t> seen;
  for (int32_t d = 0; d < 16; ++d) {
    const float top = 3 + static_cast<float>(d) * at.row_height - viewport.scroll_y;
    if (top < at.scrolled.h && top + at.row_height > 0) seen.push_back(d);
  }
  ASSERT_LT(seen.size(), 12U);
  EXPECT_EQ(drawn(scene_of(viewport, 400)), events_of(sample(), seen));
}

TEST(TimelineRows, AFoldedGroupShowsTheDeviceThatWaitsMost) {
  RowChoice rows;
  group_by(rows, "row");
  EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), all_of(sample())));
  EXPECT_TRUE(says(scene_of(apart(rows)), "row=2, 4 devices, unfolded"));
  toggle_fold(rows, 2);
  std::vector<int32_t> shown = all_of(sample());
  const auto exposed = [&](int32_t d) {
    return sample().input().run.timeline.totals[static_cast<size_t>(d)].exposed;
  };
  const int32_t most = *std::max_element(shown.begin() + 8, shown.begin() + 12,
                                         [&](int32_t a, int32_t b) { return exposed(a) < exposed(b); });
  std::erase_if(shown, [&](int32_t d) { return d / 4 == 2 && d != most; });
  EXPECT_EQ(drawn(scene_of(apart(rows))), events_of(sample(), shown));
  EXPECT_TRUE(says(scene_of(apart(rows)), "row=2, 4 devices, folded: "));
  toggle_folds(rows, sample().input().run.mesh);
  EXPECT_EQ(drawn(scene_of(apart(rows))).rbegin()->first.first / 4, 3);
  EXPECT_EQ(rows.folded.size(), 4U);
  toggle_folds(rows, sample().input().run.mesh);
  EXPECT_TRUE(rows.folded.empty());
}

TEST(TimelineRows, EqualDevicesAreOneRowInsideTheirGroup) {
  const SampleRun run("wang.os", "row=2,col=4");
  TimelineViewport viewport;
  bool folded = false;
  const EqualDevices equal = equal_devices(run.input().run, run.trace());
  for (const char* axis : {"row", "col"}) {
    group_by(viewport.rows, axis);
    const auto group = [&](int32_t d) { return std::string(axis) == "row" ? d / 4 : d % 4; };
    std::vector<int32_t> shown;
    std::set<std::pair<int32_t, int32_t>> seen;
    for (int32_t d = 0; d < 8; ++d)
      if (seen.insert({group(d), equal.like[static_cast<size_t>(d)]}).second) shown.push_back(d);
    EXPECT_EQ(drawn(layout_timeline(run.input(), viewport, {}, canvas(2400, 3000))), events_of(run, shown));
    for (int32_t d = 0; d < 8; ++d)
      for (const int32_t mate : row_mates(run.input(), viewport, d)) {
        EXPECT_EQ(group(mate), group(d));
        EXPECT_EQ(equal.like[static_cast<size_t>(mate)], equal.like[static_cast<size_t>(d)]);
      }
    folded = folded || shown.size() < 8;
  }
  EXPECT_TRUE(folded);
}

TEST(TimelineRows, GroupsGoRoundTheAxes) {
  RowChoice rows;
  const Mesh& mesh = sample().input().run.mesh;
  std::vector<std::string> seen;
  for (int i = 0; i < 4; ++i) {
    group_by_next(rows, mesh);
    seen.push_back(rows.group);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"row", "col", "", "row"}));
}

TEST(TimelineRows, StretchingStaysBetweenAPixelAndTheMost) {
  RowChoice rows;
  for (float height = 100; height > 1; height = rows.height) stretch(rows, height, 0.8);
  EXPECT_EQ(rows.height, 1);
  stretch(rows, 1, 1.25);
  EXPECT_EQ(rows.height, 2);
  for (int i = 0; i < 60; ++i) stretch(rows, rows.height, 1.25);
  EXPECT_EQ(rows.height, kHighestRow);
}

TEST(TimelineRows, CountsAreOfTheDevicesThatHaveRows) {
  RowChoice rows;
  rows.counts = true;
  rows.filter = "row=0..1";
  hide(rows, {2});
  Selection selection;
  const shardscope::Run& run = sample().input().run;
  const TermCounts counts =
      term_counts(run.program.mesh, run.timeline, std::vector<int32_t>{0, 1, 3, 4, 5, 6, 7});
  for (int i = 0; i <= 20; ++i) {
    selection.time = run.timeline.total * i / 20;
    const std::string now = counts_text(counts, selection.time);
    EXPECT_TRUE(says(scene_of(apart(rows), 900, selection), "now " + now)) << now;
  }
  const TermCount at = counts.at(run.timeline.total / 2);
  EXPECT_EQ(counts_text(counts, run.timeline.total / 2),
            format_picoseconds(run.timeline.total / 2) + ": " + std::to_string(at.compute) + " compute, " +
                std::to_string(at.exposed) + " wait for data, " + std::to_string(counts.idle(at)) +
                " idle; " + std::to_string(at.sends) + " send");
}

// --- arrows

// An event that one of another device let start.
int32_t caused_from_elsewhere() {
  const auto& events = sample().input().run.timeline.events;
  for (size_t e = 0; e < events.size(); ++e)
    if (events[e].cause >= 0 && events[static_cast<size_t>(events[e].cause)].device != events[e].device)
      return static_cast<int32_t>(e);
  return -1;
}

Selection chosen(int32_t number) {
  Selection out;
  out.selected.kind = ItemId::Kind::event;
  out.selected.event = number;
  return out;
}

bool arrow(const Scene& scene, bool dashed) {
  return std::ranges::any_of(scene.lines(), [&](const LineItem& line) {
    return line.arrow && line.dashed == dashed && line.color == light_theme().selection;
  });
}

TEST(TimelineArrows, AreThereAtEveryZoomAndHeight) {
  const int32_t number = caused_from_elsewhere();
  ASSERT_GE(number, 0);
  const Event& event = sample().input().run.timeline.events[static_cast<size_t>(number)];
  for (const float height : {0.0F, 1.0F, 12.0F, 200.0F}) {
    for (const Picoseconds length :
         {Picoseconds{2000}, sample().trace().total() / 50, sample().trace().total()}) {
      RowChoice rows;
      rows.height = height;
      TimelineViewport viewport = apart(rows);
      viewport.range = {event.start - length / 2, event.start + length / 2};
      EXPECT_TRUE(arrow(scene_of(viewport, 4000, chosen(number)), false)) << height << " " << length;
    }
  }
}

TEST(TimelineArrows, EndAtTheFoldAndSayWhatIsInIt) {
  const int32_t number = caused_from_elsewhere();
  const auto& events = sample().input().run.timeline.events;
  const int32_t from = events[static_cast<size_t>(events[static_cast<size_t>(number)].cause)].device;
  RowChoice rows;
  group_by(rows, "row");
  toggle_folds(rows, sample().input().run.mesh);
  bool dashed = false;
  for (int32_t e = 0; e < std::ssize(events) && !dashed; ++e) {
    if (events[static_cast<size_t>(e)].cause < 0) continue;
    const int32_t device = events[static_cast<size_t>(events[static_cast<size_t>(e)].cause)].device;
    const Scene scene = scene_of(apart(rows), 4000, chosen(e));
    if (!says(scene, "cause of the selected event: " + device_name(sample().input().run.mesh, device) +
                         " in 4 folded rows"))
      continue;
    dashed = arrow(scene, true);
  }
  EXPECT_TRUE(dashed);
  RowChoice hidden;
  hide(hidden, {from});
  const Scene scene = scene_of(apart(hidden), 4000, chosen(number));
  EXPECT_TRUE(arrow(scene, true));
  EXPECT_TRUE(says(scene, device_name(sample().input().run.mesh, from) + " has no row"));
}

TEST(TimelineArrows, StopAtTheEdgeBeyondWhichTheirEndIs) {
  const int32_t number = caused_from_elsewhere();
  const auto& events = sample().input().run.timeline.events;
  const Event& event = events[static_cast<size_t>(number)];
  const int32_t from = events[static_cast<size_t>(event.cause)].device;
  RowChoice rows;
  rows.height = 300;
  TimelineViewport viewport = apart(rows);
  viewport.scroll_y = 300.0F * static_cast<float>(event.device);
  const Scene scene = scene_of(viewport, 350, chosen(number));
  EXPECT_TRUE(arrow(scene, true));
  EXPECT_TRUE(says(scene, device_name(sample().input().run.mesh, from) +
                              (from < event.device ? " is above" : " is below")));
}

}  // namespace
}  // namespace shardscope::timeline_rows_test
