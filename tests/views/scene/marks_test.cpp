// SPDX-License-Identifier: Apache-2.0
// What pictures say by colours and patterns: no label covers it, and the legend explains it.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "sample_kernel.h"
#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/blocks.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/held_now.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::marks_test {
namespace {

Rect common(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
          std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

float area(const Rect& r) {
  return r.w * r.h;
}

// A rectangle as far as it is seen.
struct Seen {
  RectItem item;
  Rect rect;
  bool label = false;  // the ground of the text that follows
};

std::vector<Seen> seen_rects(const Scene& scene) {
  std::vector<Seen> out;
  std::vector<Rect> clips{{0, 0, scene.width, scene.height}};
  for (const DrawRef& ref : scene.order()) {
    const auto i = static_cast<size_t>(ref.index);
    if (ref.kind == DrawRef::Kind::clip) {
      const Rect& clip = scene.clips()[i].rect;
      if (clip.w < 0)
        clips.pop_back();
      else
        clips.push_back(common(clips.back(), clip));
    } else if (ref.kind == DrawRef::Kind::rect) {
      const RectItem& item = scene.rects()[i];
      out.push_back({item, common(item.rect, clips.back())});
    } else if (ref.kind == DrawRef::Kind::text && !out.empty()) {
      // Made for its words: as wide as they are.
      const TextItem& text = scene.texts()[i];
      const float width = estimate_text_width(text.text, text.px, text.face);
      const Rect& ground = out.back().item.rect;
      if (ground.contains(text.at) && ground.w < width + 12 && out.back().item.pattern == Pattern::none)
        out.back().label = true;
    }
  }
  return out;
}

std::set<std::string> legend_of(const Scene& scene) {
  std::set<std::string> out;
  for (const AccessibleItem& item : scene.accessible())
    if (item.name.starts_with("legend: ")) out.insert(item.name.substr(8));
  return out;
}

bool in_legend(const Scene& scene, const Rect& rect) {
  return std::ranges::any_of(scene.accessible(), [&](const AccessibleItem& item) {
    return item.name.starts_with("legend: ") && item.rect == rect;
  });
}

// The patterns on a picture beside its legend, where they are large enough to have marks.
std::set<Pattern> patterns_of(const Scene& scene) {
  std::set<Pattern> out;
  for (const Seen& seen : seen_rects(scene)) {
    if (seen.item.pattern != Pattern::none && seen.rect.w >= 3 && seen.rect.h >= 3 &&
        !in_legend(scene, seen.item.rect))
      out.insert(seen.item.pattern);
  }
  return out;
}

std::string hidden_by_labels(const Scene& scene) {
  const std::vector<Seen> all = seen_rects(scene);
  for (size_t m = 0; m < all.size(); ++m) {
    if (all[m].item.pattern == Pattern::none || all[m].rect.w < 3 || all[m].rect.h < 3) continue;
    float covered = 0;
    for (size_t l = m + 1; l < all.size(); ++l) {
      if (all[l].label && all[l].item.fill.a > 160) covered += area(common(all[m].rect, all[l].rect));
    }
    if (covered > area(all[m].rect) * 0.51F)
      return fmt::format("{:.0f} of {:.0f} px of a hatch at {:.0f},{:.0f}", covered, area(all[m].rect),
                         all[m].rect.x, all[m].rect.y);
  }
  return "";
}

struct Made {
  const char *strategy, *mesh;
};
const Made kMade[] = {{"wang.os", "row=2,col=4"},     {"wang.os", "row=4,col=4"},
                      {"cannon.os", "row=4,col=4"},   {"collective.os", "row=2,col=4"},
                      {"psum", "row=4,col=2"},        {"cannon.os", "row=8,col=8"},
                      {"meshslice.os", "row=2,col=4"}};

// Pictures of runs, at sizes from a corner of a small screen to a wall.
void for_pictures(const std::function<void(const SampleRun& run, const Selection& at, const Canvas& to,
                                           const std::string& where)>& look) {
  for (const Made& made : kMade) {
    const SampleRun run(made.strategy, made.mesh);
    for (const double part : {0.0, 0.35, 0.7, 1.0}) {
      Selection at;
      at.time = static_cast<Picoseconds>(part * static_cast<double>(run.trace().total()));
      for (const auto& [width, height] : {std::pair{520.0F, 300.0F}, {900.0F, 500.0F}, {1800.0F, 900.0F}}) {
        for (const Theme& theme : {light_theme(), dark_theme()})
          look(run, at, canvas(width, height, theme),
               fmt::format("{} on {} at {} of it, {}x{}", made.strategy, made.mesh, part, width, height));
      }
    }
  }
}

TEST(Marks, NoLabelHidesWhatItStandsOn) {
  for_pictures([](const SampleRun& run, const Selection& at, const Canvas& to, const std::string& where) {
    for (const RunView& view : run_views())
      EXPECT_EQ(hidden_by_labels(view.layout(run.input(), {}, at, to)), "") << view.id << " of " << where;
  });
}

// However far one zooms out, the hatch of exposed communication stays and the label goes.
TEST(Marks, ShortBarsKeepTheirHatch) {
  const SampleRun run("wang.os", "row=2,col=4");
  size_t hatched = 0;
  for (float width = 260; width < 1700; width += 40) {
    const Scene scene = layout_timeline(run.input(), {}, {}, canvas(width, 500));
    EXPECT_EQ(hidden_by_labels(scene), "") << width;
    hatched += patterns_of(scene).contains(Pattern::stripes) ? 1U : 0U;
  }
  EXPECT_GT(hatched, 30U);
  EXPECT_TRUE(shows(layout_timeline(run.input(), {}, {}, canvas(1600, 500)), "a3.1/2"))
      << "where it has room";
}

// Owners have patterns of their own, one sign for all of them.
TEST(Marks, WhateverIsHatchedIsExplainedAndNothingElse) {
  const auto one = [](std::set<Pattern> patterns) {
    for (const Pattern owners : {Pattern::bars, Pattern::cross})
      if (patterns.erase(owners) > 0) patterns.insert(Pattern::dots);
    return patterns;
  };
  for_pictures([&](const SampleRun& run, const Selection& at, const Canvas& to, const std::string& where) {
    for (const RunView& view : run_views()) {
      const Scene scene = view.layout(run.input(), {}, at, to);
      const bool of_blocks = view.id == std::string("grid") || view.id == std::string("product");
      if (legend_of(scene).empty() && of_blocks) continue;  // no room below it
      std::set<Pattern> explained;
      for (const RectItem& item : scene.rects())
        if (item.pattern != Pattern::none && in_legend(scene, item.rect)) explained.insert(item.pattern);
      std::set<Pattern> drawn = one(patterns_of(scene));
      // In cells too small for a pattern an owner has a colour alone.
      if (of_blocks) drawn.erase(Pattern::dots), explained.erase(Pattern::dots);
      EXPECT_EQ(explained, drawn) << view.id << " of " << where;
    }
  });
}

TEST(Marks, TheTimelinesLegendListsWhatIsOnIt) {
  for_pictures([](const SampleRun& run, const Selection& at, const Canvas& to, const std::string& where) {
    const Scene scene = layout_timeline(run.input(), {}, at, to);
    const std::set<std::string> legend = legend_of(scene);
    const std::set<Pattern> patterns = patterns_of(scene);
    EXPECT_EQ(legend.contains("exposed communication"), patterns.contains(Pattern::stripes)) << where;
    EXPECT_EQ(legend.contains("merged events"), patterns.contains(Pattern::zigzag)) << where;
    std::set<int32_t> drawn;
    for (const Seen& seen : seen_rects(scene)) {
      if (seen.item.id < 0 || seen.rect.w < 1 || seen.rect.h < 1) continue;
      const ItemId& id = scene.ids()[static_cast<size_t>(seen.item.id)];
      if (id.kind == ItemId::Kind::event || id.kind == ItemId::Kind::event_group) drawn.insert(id.lane);
    }
    for (size_t l = 0; l < run.trace().lanes().size(); ++l)
      EXPECT_EQ(legend.contains(run.trace().lanes()[l].name), drawn.contains(static_cast<int32_t>(l)))
          << run.trace().lanes()[l].name << " of " << where;
  });
}

TEST(Marks, TheGridsLegendListsWhatIsOnIt) {
  for_pictures([](const SampleRun& run, const Selection& at, const Canvas& to, const std::string& where) {
    const Scene scene = layout_sharding_grid(run.input(), {}, at, to);
    const std::set<std::string> legend = legend_of(scene);
    if (legend.empty()) return;  // no room below the grid
    bool stripes = false, copies = false, absent = false;
    for (const Seen& seen : seen_rects(scene)) {
      if (seen.rect.w < 1 || seen.rect.h < 1 || in_legend(scene, seen.item.rect)) continue;
      const bool block =
          seen.item.id >= 0 && scene.ids()[static_cast<size_t>(seen.item.id)].kind == ItemId::Kind::block;
      stripes = stripes || seen.item.pattern == Pattern::stripes;
      absent = absent || (block && seen.item.fill == to.theme.panel);
    }
    for (const TextItem& text : scene.texts())
      copies = copies || (text.text.find(" ×") != std::string::npos && text.text.size() < 12);
    for (const LineItem& line : scene.lines()) copies = copies || line.points.size() == 3;
    const auto listed = [&](const char* words) {
      return std::ranges::any_of(legend, [&](const std::string& each) { return each.starts_with(words); });
    };
    EXPECT_EQ(listed("“2 of 4”"), stripes) << where;
    EXPECT_EQ(listed("on no device"), absent) << where;
    EXPECT_EQ(listed("×2"), copies) << where;
  });
}

TEST(Marks, AKernelsLegendListsWhatIsOnIt) {
  const kernels::KernelReplay replay = replay_of("ag.ring.one_semaphore", 4, kernels::schedule_of(0));
  const int64_t steps = replay.steps();
  for (int64_t step = 0; step <= steps; step += 7) {
    const KernelFrame frame = replay.frame(step);
    const Scene scene = layout_kernel({replay.program().layout, frame, steps}, {}, canvas(1400, 800));
    const std::set<std::string> legend = legend_of(scene);
    const std::set<Pattern> patterns = patterns_of(scene);
    EXPECT_EQ(legend.contains("not written yet"), patterns.contains(Pattern::stripes)) << step;
    EXPECT_EQ(legend.contains("wrong value"), patterns.contains(Pattern::cross)) << step;
    bool started = false, goes = false;
    for (const LineItem& line : scene.lines()) {
      if (line.id < 0 || !line.arrow) continue;
      (line.dashed ? started : goes) = true;
    }
    EXPECT_EQ(legend.contains("copy started, nothing read yet"), started) << step;
    EXPECT_EQ(legend.contains("read, on its way"), goes) << step;
  }
}

// Whoever holds a block that others hold too says so in however narrow a cell.
TEST(Marks, ABlockOfSeveralDevicesSaysSoHoweverNarrowItsCell) {
  size_t said = 0, marked = 0;
  for (const char* mesh : {"row=2,col=4", "row=4,col=4", "row=8,col=8"}) {
    const SampleRun run("collective.os", mesh);
    Selection at;
    at.time = run.trace().total() / 2;
    const ViewInput input = run.input();  // that keeps what was found
    const HeldNow& now = held_now(input, at.time);
    for (float width = 160; width < 1500; width += 90) {
      const Scene scene = layout_sharding_grid(run.input(), {}, at, canvas(width, 600));
      for (const AccessibleItem& block : scene.accessible()) {
        if (block.id < 0) continue;
        const ItemId& id = scene.ids()[static_cast<size_t>(block.id)];
        const Rect& cell = block.rect;
        if (id.kind != ItemId::Kind::block || now.block(id.lane, id.index).whole < 2 || cell.w < 5) continue;
        const bool in_words = std::ranges::any_of(scene.texts(), [&](const TextItem& text) {
          return cell.contains(text.at) && text.text.find("×") != std::string::npos;
        });
        const bool by_mark = std::ranges::any_of(scene.lines(), [&](const LineItem& line) {
          return line.points.size() == 3 && cell.contains(line.points[0]);
        });
        EXPECT_TRUE(in_words || by_mark) << block.name << " in " << width << " on " << mesh;
        ++(in_words ? said : marked);
      }
    }
  }
  EXPECT_GT(said, 50U);
  EXPECT_GT(marked, 50U);
}

TEST(Marks, AnOwnersPatternIsNotAPartialSums) {
  for (const char* text : {"row=4,col=4", "row=8,col=8", "x=16,y=16", "a=4,b=4,c=2"}) {
    const Mesh mesh = *Mesh::parse(text);
    std::set<Pattern> used;
    for (int32_t d = 0; d < mesh.device_count(); ++d)
      used.insert(device_look(light_theme(), mesh, d).pattern);
    EXPECT_FALSE(used.contains(Pattern::stripes)) << text;
    EXPECT_GE(used.size(), 4U) << text;
  }
}

double distance(Color a, Color b) {
  return std::hypot(std::hypot(a.r - b.r, a.g - b.g), a.b - b.b);
}

// Of every lane's bars, in both themes.
TEST(Marks, TheBaselineHasAColourOfItsOwn) {
  const SampleRun base("wang.os", "row=2,col=4"), then("wang.os", "row=2,col=4");
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    const Scene scene = layout_what_if_timeline(then.input(), base.input(), {}, {}, canvas(1200, 700, theme));
    const auto sign = std::ranges::find_if(
        scene.accessible(), [](const AccessibleItem& item) { return item.name == "legend: baseline"; });
    ASSERT_NE(sign, scene.accessible().end());
    const auto face = std::ranges::find(scene.rects(), sign->rect, &RectItem::rect);
    ASSERT_NE(face, scene.rects().end());
    EXPECT_GT(face->border_width, 0) << "it is seen on the background";
    for (const Lane& lane : base.trace().lanes())
      EXPECT_GT(distance(face->fill, lane_color(theme, lane)), 90) << lane.name;
  }
}

TEST(Marks, ACauseOnAFoldedDeviceIsOutlinedOnTheRowThatStandsForIt) {
  const SampleRun run("wang.os", "row=2,col=4");
  TimelineViewport viewport;
  viewport.rows.group = "row";
  viewport.rows.folded = {0, 1};
  size_t folded = 0;
  for (int32_t number = 0; number < run.trace().event_count(); ++number) {
    const auto event = run.trace().event(number);
    const auto cause = event.ok() && event->cause >= 0 ? run.trace().event(event->cause) : event;
    if (!event.ok() || event->cause < 0) continue;
    Selection now;
    now.selected = event_item(run.input(), number);
    const Canvas to = canvas(1200, 700);
    const auto lane = timeline_strip(run.input(), viewport, to, cause->device, cause->lane);
    if (!lane || cause->end <= cause->start) continue;
    ++folded;
    const TimeAxis axis = timeline_axis(run.input(), viewport, to);
    const Rect place{axis.x_of(cause->start), lane->y, axis.x_of(cause->end) - axis.x_of(cause->start),
                     lane->h};
    const Scene scene = layout_timeline(run.input(), viewport, now, to);
    EXPECT_TRUE(std::ranges::any_of(scene.rects(), [&](const RectItem& rect) {
      return rect.border_width > 0 && rect.border == to.theme.selection &&
             std::abs(rect.rect.x - place.x) <= 2 && std::abs(rect.rect.y - place.y) <= 2 &&
             std::abs(rect.rect.w - place.w) <= 4;
    })) << number;
  }
  EXPECT_GT(folded, 20U);
}

}  // namespace
}  // namespace shardscope::marks_test
