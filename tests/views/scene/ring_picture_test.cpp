// SPDX-License-Identifier: Apache-2.0
// The ring view: what it draws is what travels, and nothing hides what it says.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/story/story.h"
#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/ring/ring_places.h"
#include "views/scene/story/held_items.h"
#include "views/scene/story/travels.h"

namespace shardscope::ring_picture_test {
namespace {

using Algorithm = CollectiveAlgorithm;

Selection moment(Picoseconds time) {
  Selection selection;
  selection.time = time;
  return selection;
}

Scene ring(const SampleRun& run, Picoseconds time, float width = 1100, float height = 700) {
  return layout_ring(run.input(), {}, moment(time), canvas(width, height));
}

std::vector<RectItem> rects_of(const Scene& scene, ItemId::Kind kind) {
  std::vector<RectItem> out;
  for (const RectItem& r : scene.rects()) {
    if (r.id >= 0 && scene.ids()[static_cast<size_t>(r.id)].kind == kind) out.push_back(r);
  }
  return out;
}

bool touch(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Room of an arrow's head at the end of a line.
Rect head_of(const LineItem& line) {
  const Point tip = line.points.back();
  const Point from = line.points[line.points.size() - 2];
  const float length = std::max(1e-3F, std::hypot(tip.x - from.x, tip.y - from.y));
  const float size = 4 + 2 * line.width;
  const Point u{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const Point base{tip.x - u.x * size, tip.y - u.y * size};
  const float half = size / 2;
  const float left = std::min({tip.x, base.x - std::abs(u.y) * half});
  const float right = std::max({tip.x, base.x + std::abs(u.y) * half});
  const float top = std::min({tip.y, base.y - std::abs(u.x) * half});
  const float bottom = std::max({tip.y, base.y + std::abs(u.x) * half});
  return {left, top, right - left, bottom - top};
}

// All ends of beats and a moment between each two.
std::vector<Picoseconds> moments(const Story& story) {
  std::set<Picoseconds> out;
  Picoseconds before = 0;
  for (const Beat& beat : story.beats()) {
    out.insert(beat.end);
    out.insert((before + beat.end) / 2);
    before = beat.end;
  }
  return {out.begin(), out.end()};
}

struct Sample {
  const char* strategy;
  const char* mesh;
  const char* chip;
};
const std::vector<Sample> kSamples = {{"wang.os", "row=2,col=4", "tpu-v5e"},
                                      {"cannon.os", "row=4,col=4", "tpu-v4"},
                                      {"meshslice.ls", "row=2,col=4", "tpu-v4"},
                                      {"psum", "row=1,col=8", "tpu-v5e"},
                                      {"collective.os", "row=1,col=8", "tpu-v4"}};

TEST(RingPicture, NoChipHidesAnArrowsHeadOrADevice) {
  for (const Sample& s : kSamples) {
    const SampleRun run(s.strategy, s.mesh, Algorithm::automatic, s.chip);
    for (const Picoseconds time : moments(run.story())) {
      const Scene scene = ring(run, time, 1600, 900);
      const std::vector<RectItem> chips = rects_of(scene, ItemId::Kind::chunk);
      for (const RectItem& chip : chips) {
        for (const LineItem& line : scene.lines())
          EXPECT_FALSE(line.arrow && touch(chip.rect.inset(0.5F), head_of(line)))
              << s.strategy << ' ' << time;
        for (const RectItem& box : rects_of(scene, ItemId::Kind::device))
          EXPECT_FALSE(touch(chip.rect.inset(0.5F), box.rect)) << s.strategy << ' ' << time;
      }
    }
  }
}

TEST(RingPicture, ChipsOfOneMomentDoNotCoverEachOther) {
  for (const Sample& s : kSamples) {
    const SampleRun run(s.strategy, s.mesh, Algorithm::automatic, s.chip);
    for (const Picoseconds time : moments(run.story())) {
      const std::vector<RectItem> chips = rects_of(ring(run, time, 1600, 900), ItemId::Kind::chunk);
      for (size_t i = 0; i < chips.size(); ++i) {
        for (size_t j = i + 1; j < chips.size(); ++j)
          EXPECT_FALSE(touch(chips[i].rect.inset(0.5F), chips[j].rect)) << s.strategy << ' ' << time;
      }
    }
  }
}

TEST(RingPicture, WrapLinksAreSmoothAndCrossNoWords) {
  const SampleRun run("cannon.os", "row=4,col=4", Algorithm::automatic, "tpu-v4");
  size_t curves = 0;
  for (const Picoseconds time : moments(run.story())) {
    const Scene scene = ring(run, time, 1600, 900);
    for (const LineItem& line : scene.lines()) {
      const std::vector<Point>& p = line.points;
      if (p.size() < 3) continue;
      ++curves;
      for (size_t i = 2; i < p.size(); ++i) {
        const float a = std::atan2(p[i - 1].y - p[i - 2].y, p[i - 1].x - p[i - 2].x);
        const float b = std::atan2(p[i].y - p[i - 1].y, p[i].x - p[i - 1].x);
        EXPECT_LT(std::abs(std::remainder(b - a, 2 * 3.14159265F)), 0.21F);
      }
      for (const TextItem& t : scene.texts()) {
        const float width = estimate_text_width(t.text, t.px, t.face);
        const float left = t.at.x - (t.align == Align::center  ? width / 2
                                     : t.align == Align::right ? width
                                                               : 0);
        const Rect words{left, t.at.y - t.px * 0.4F, width, t.px * 0.8F};
        // The chips of the link itself stand on its straight ends.
        for (size_t i = 2; i + 1 < p.size(); ++i) {
          const Rect piece{std::min(p[i - 1].x, p[i].x), std::min(p[i - 1].y, p[i].y),
                           std::abs(p[i].x - p[i - 1].x) + 0.1F, std::abs(p[i].y - p[i - 1].y) + 0.1F};
          EXPECT_FALSE(touch(words, piece)) << t.text << " at " << time;
        }
      }
    }
  }
  EXPECT_GT(curves, 0U);
}

TEST(RingPicture, EveryTransferUnderWayHasAChipWithItsName) {
  for (const Sample& s : kSamples) {
    const SampleRun run(s.strategy, s.mesh, Algorithm::automatic, s.chip);
    const Story& story = run.story();
    for (const Picoseconds time : moments(story)) {
      const Scene scene = ring(run, time, 1600, 900);
      std::multiset<std::string> said;
      for (const AccessibleItem& item : scene.accessible()) {
        if (item.name.ends_with("of the way") || item.name.find(", arrived") != std::string::npos)
          said.insert(item.name);
      }
      for (const RectItem& chip : rects_of(scene, ItemId::Kind::chunk)) {
        EXPECT_TRUE(
            std::any_of(scene.texts().begin(), scene.texts().end(),
                        [&](const TextItem& t) { return chip.rect.contains(t.at) && !t.text.empty(); }))
            << s.strategy << ' ' << time;
      }
      size_t expected = 0;
      const std::vector<int32_t> ended = beats_ending(story, time);
      const std::vector<Event>& events = story.timeline().events;
      for (size_t i = 0; i < events.size(); ++i) {
        const Event& e = events[i];
        if (e.kind != EventKind::transfer) continue;
        const bool arrived =
            std::find(ended.begin(), ended.end(), story.beat_of(static_cast<int32_t>(i))) != ended.end();
        const bool leaves = e.start == time && ended.empty();
        if (arrived ? e.relayed : !((e.start < time || leaves) && time < e.end)) continue;
        ++expected;
        if (e.relayed) continue;
        const std::string name = name_of_transfer(story, static_cast<int32_t>(i)) + " ";
        EXPECT_TRUE(std::any_of(said.begin(), said.end(),
                                [&](const std::string& text) { return text.starts_with(name); }))
            << s.strategy << ' ' << time << ' ' << name;
      }
      EXPECT_EQ(said.size(), expected) << s.strategy << ' ' << time;
    }
  }
}

TEST(RingPicture, DevicesAreNeverStrips) {
  for (const char* mesh : {"row=2,col=4", "row=4,col=4", "row=1,col=16", "row=8,col=8", "row=16,col=16",
                           "row=2,col=2,depth=2", "row=4,col=4,depth=4"}) {
    const SampleRun run("collective.os", mesh, Algorithm::automatic, "tpu-v4");
    for (const auto& [width, height] : {std::pair{540.0F, 300.0F}, {400.0F, 500.0F}, {1200.0F, 260.0F}}) {
      for (const RectItem& box : rects_of(ring(run, 0, width, height), ItemId::Kind::device)) {
        EXPECT_LE(box.rect.w, 4.5F * box.rect.h) << mesh;
        EXPECT_LE(box.rect.h, 3 * box.rect.w) << mesh;
        EXPECT_GE(std::min(box.rect.w, box.rect.h), 3.5F) << mesh;
      }
    }
  }
}

TEST(RingPicture, SaysWhatIsOutOfSight) {
  const SampleRun run("cannon.os", "row=4,col=4", Algorithm::automatic, "tpu-v4");
  EXPECT_TRUE(shows(ring(run, 0, 540, 300), "devices in sight: drag"));
  EXPECT_FALSE(shows(ring(run, 0, 1800, 1000), "drag"));
  const SampleRun many("wang.os", "row=16,col=16");
  EXPECT_TRUE(shows(ring(many, 0, 540, 300), "256 devices: zoom in for names"));
}

TEST(RingPicture, DevicesSayWhatTheyHold) {
  const SampleRun run("psum", "row=4,col=2");
  const Story& story = run.story();
  for (const Picoseconds time : moments(story)) {
    const Scene scene = ring(run, time, 1600, 900);
    for (int32_t d = 0; d < 8; ++d) {
      const std::string text =
          "device " + device_name(story.program().mesh, d) + ", holds " + holdings_text(story, d, time);
      EXPECT_TRUE(std::any_of(scene.accessible().begin(), scene.accessible().end(),
                              [&](const AccessibleItem& a) { return a.name == text; }))
          << text;
    }
  }
}

TEST(RingPicture, ASmallBoxSignsWhatItLeavesOut) {
  const SampleRun run("collective.os", "row=1,col=8");
  const Story& story = run.story();
  const Scene scene = ring(run, story.timeline().total, 540, 300);
  const std::vector<RectItem> boxes = rects_of(scene, ItemId::Kind::device);
  for (const RectItem& box : boxes) {
    std::string words;
    for (const TextItem& t : scene.texts()) {
      if (box.rect.contains(t.at)) words += t.text + " ";
    }
    const int32_t device = scene.ids()[static_cast<size_t>(box.id)].device;
    const std::string all = holdings_text(story, device, story.timeline().total);
    if (words.find('+') != std::string::npos) continue;
    for (const HeldItem& item : held_items(held_names(story, story.held(device, story.timeline().total))))
      EXPECT_NE(words.find(item.name), std::string::npos) << words << " of " << all;
  }
}

TEST(RingPicture, NamesTheHalvesOfAnAllReduce) {
  const SampleRun run("psum", "row=1,col=4", Algorithm::ring);
  bool scatter = false;
  bool gather = false;
  for (const Beat& beat : run.story().beats()) {
    const Scene scene = ring(run, beat.end);
    scatter = scatter || shows(scene, "reduce-scatter half, 2 of 3");
    gather = gather || shows(scene, "all-gather half, 3 of 3");
  }
  EXPECT_TRUE(scatter);
  EXPECT_TRUE(gather);
}

TEST(RingPicture, ThreeAxesStandInSlabsWithStubs) {
  const SampleRun run("collective.os", "row=4,col=4,depth=2", Algorithm::automatic, "tpu-v4");
  const Scene scene = ring(run, run.story().timeline().total / 2, 1800, 1000);
  const std::vector<RectItem> boxes = rects_of(scene, ItemId::Kind::device);
  ASSERT_EQ(boxes.size(), 32U);
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t j = i + 1; j < boxes.size(); ++j) EXPECT_FALSE(touch(boxes[i].rect, boxes[j].rect));
  }
  for (const LineItem& line : scene.lines()) EXPECT_EQ(line.points.size(), 2U);
  // The second slab stands right of and above the first.
  EXPECT_GT(boxes[1].rect.x, boxes[0].rect.x);
  EXPECT_LT(boxes[1].rect.y, boxes[0].rect.y);
}

TEST(RingPicture, MoreThan256DevicesAreAMatrixOfLoads) {
  const SampleRun run("wang.os", "row=16,col=32");
  const Scene scene = ring(run, run.story().beats()[1].end, 1000, 700);
  EXPECT_TRUE(scene.circles().empty());
  EXPECT_TRUE(std::none_of(scene.lines().begin(), scene.lines().end(),
                           [](const LineItem& line) { return line.arrow; }));
  const size_t lanes = rects_of(scene, ItemId::Kind::device).size() / 512;
  EXPECT_GE(lanes, 4U);
  EXPECT_TRUE(shows(scene, "512 devices, a square each"));
}

TEST(RingPicture, TheTableHasTheNamesOfTheChips) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Story& story = run.story();
  const Scene scene = ring(run, story.beats()[1].end, 1800, 900);
  int32_t rows = 0;
  for (const AccessibleItem& item : scene.accessible()) {
    if (item.id < 0 || scene.ids()[static_cast<size_t>(item.id)].kind != ItemId::Kind::step) continue;
    ++rows;
    for (const int32_t e : transfers_of(story, scene.ids()[static_cast<size_t>(item.id)].index))
      EXPECT_NE(item.name.find("; " + name_of_transfer(story, e) + " "), std::string::npos) << item.name;
  }
  EXPECT_GT(rows, 3);
}

}  // namespace
}  // namespace shardscope::ring_picture_test
