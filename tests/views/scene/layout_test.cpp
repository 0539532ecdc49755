// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "engine/story/sums/range_statistics.h"
#include "golden_scene.h"
#include "sample_run.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/details.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/now.h"

namespace shardscope::layout_test {
namespace {

Scene draw(const SampleRun& run, const std::string& view, const Selection& selection, const Canvas& c) {
  return *layout_named(view, run.input(), selection, c);
}

class EveryView : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Views, EveryView, testing::ValuesIn(view_names()));

TEST_P(EveryView, DrawsAsItDid) {
  const SampleRun run("psum", "row=4,col=2");
  expect_golden(GetParam(), draw(run, GetParam(), run.at(1), canvas(640, 360)));
}

TEST_P(EveryView, KeepsWordsInsideThePicture) {
  for (const char* mesh : {"row=2,col=4", "row=1,col=8", "row=16,col=16"}) {
    const SampleRun run("wang.os", mesh);
    for (const float scale : {1.0F, 2.0F}) {
      Canvas c = canvas(1200, 700);
      c.theme.scale = scale;
      const Scene scene = draw(run, GetParam(), {}, c);
      for (const TextItem& t : scene.texts()) {
        const float width = estimate_text_width(t.text, t.px, t.face);
        const float left = t.at.x - (t.align == Align::center  ? width / 2
                                     : t.align == Align::right ? width
                                                               : 0);
        EXPECT_GE(left, -1) << mesh << " " << scale << " " << t.text;
        EXPECT_LE(left + width, c.width + 1) << mesh << " " << scale << " " << t.text;
      }
    }
  }
}

TEST_P(EveryView, NamesWhatItShows) {
  const SampleRun run;
  const Scene scene = draw(run, GetParam(), {}, canvas(1000, 600));
  EXPECT_FALSE(scene.accessible().empty());
  for (const AccessibleItem& item : scene.accessible()) {
    EXPECT_FALSE(item.name.empty());
    EXPECT_LT(item.id, static_cast<int32_t>(scene.ids().size()));
  }
}

TEST_P(EveryView, ClosesItsClips) {
  const SampleRun run;
  const Scene scene = draw(run, GetParam(), {}, canvas(1000, 600));
  const auto ends = std::count_if(scene.clips().begin(), scene.clips().end(),
                                  [](const ClipItem& c) { return c.rect.w < 0; });
  EXPECT_EQ(2 * ends, static_cast<int64_t>(scene.clips().size()));
}

TEST_P(EveryView, SaysSoWhenThereIsNothing) {
  const auto run = std::make_shared<shardscope::Run>();
  const auto trace = memory_trace(run);
  const Scene scene = *layout_named(GetParam(), {*run, *trace, nullptr}, {}, canvas(600, 300));
  EXPECT_EQ(scene.texts().size(), 2U);
}

TEST_P(EveryView, SurvivesTinyCanvases) {
  const SampleRun run;
  for (const float size : {1.0F, 20.0F, 90.0F})
    EXPECT_FALSE(draw(run, GetParam(), {}, canvas(size, size)).text().empty());
}

TEST(Timeline, EqualDevicesBecomeOneRow) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Scene scene = layout_timeline(run.input(), {}, {}, canvas(1000, 700));
  const auto same = [](const TextItem& t) { return t.text.ends_with(" same"); };
  EXPECT_TRUE(std::any_of(scene.texts().begin(), scene.texts().end(), same));
  TimelineViewport apart;
  apart.collapse_equal = false;
  EXPECT_GT(timeline_content_height(run.input(), apart, canvas(1000, 700)),
            timeline_content_height(run.input(), {}, canvas(1000, 700)));
}

TEST(Timeline, AnEventIsFoundUnderTheCursor) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Canvas c = canvas(1000, 700);
  const Scene scene = layout_timeline(run.input(), {}, {}, c);
  const auto event = std::find_if(scene.rects().begin(), scene.rects().end(), [&](const RectItem& r) {
    return r.id >= 0 && scene.ids()[static_cast<size_t>(r.id)].kind == ItemId::Kind::event && r.rect.w > 20;
  });
  ASSERT_NE(event, scene.rects().end());
  const auto hit = scene.hit({event->rect.x + event->rect.w / 2, event->rect.y + event->rect.h / 2});
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->event, scene.ids()[static_cast<size_t>(event->id)].event);
  EXPECT_FALSE(describe(run.input(), *hit, 0).empty());
}

TEST(Timeline, SaysWhenNowIs) {
  const SampleRun run("wang.os", "row=2,col=4");
  for (int32_t beat = 0; beat < std::ssize(run.story().beats()); ++beat) {
    Selection selection;
    selection.time = run.story().moment_of(beat);
    const Scene scene = layout_timeline(run.input(), {}, selection, canvas(1000, 700));
    const std::string now = "now " + format_picoseconds(selection.time) + "; " +
                            sentence_now(run.input(), selection, SentenceLevel::idea);
    EXPECT_TRUE(std::any_of(scene.accessible().begin(), scene.accessible().end(),
                            [&](const AccessibleItem& a) { return a.name == now; }))
        << now;
  }
}

TEST(Timeline, ARangesCopyHasTheDevicesAndTheirOperations) {
  const SampleRun run("psum", "row=4,col=2");
  const std::string csv = range_csv(run.input(), {0, run.trace().total()});
  EXPECT_TRUE(csv.starts_with("device,operation,events,cut,"));
  EXPECT_NE(csv.find("\n\"(3,1)\",\"product "), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n\"all\",\"all-reduce of Y over "), std::string::npos) << csv;
  const auto columns =
      std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n')), ',');
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [quoted = false](char c) mutable {
      quoted = quoted != (c == '"');
      return quoted;
    });
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
  }
}

// One word, one number: the share of an operation in the details is that of the range that is the whole run.
TEST(Operations, TheDetailsSayTheShareThatTheRangeOfTheWholeRunSays) {
  for (const char* strategy : {"collective.os", "wang.os", "psum"}) {
    const SampleRun run(strategy, "row=2,col=2");
    const shardscope::Run& of = run.input().run;
    const Details details = details_of(run.input(), {});
    const auto section = std::ranges::find(details.sections, "Operations", &DetailSection::heading);
    ASSERT_NE(section, details.sections.end());
    const auto sums = range_statistics(of, &run.story(), {0, of.timeline.total}, all_devices(of));
    size_t alone = 0;
    for (const OperationStatistics& row : sums.operations) {
      if (row.instructions.size() != 1) continue;
      const std::string name = instruction_name(run.input(), row.instructions.front());
      const auto cells =
          std::ranges::find_if(section->table.rows, [&](const auto& cell) { return cell.front() == name; });
      ASSERT_NE(cells, section->table.rows.end()) << name;
      EXPECT_EQ((*cells)[6], format_percent(sums.share(row.busy))) << strategy << " " << name;
      ++alone;
    }
    EXPECT_GE(alone, 1U) << strategy;
  }
}

TEST(Operations, ACellSaysHowBusyTheDevicesAreInItsTime) {
  const SampleRun run("meshslice.ls", "row=2,col=4");
  const Canvas c = canvas(900, 400);
  const Scene scene = layout_operations(run.input(), {}, c);
  int cells = 0;
  for (const AccessibleItem& each : scene.accessible()) {
    if (each.id < 0) continue;
    const ItemId& item = scene.ids()[static_cast<size_t>(each.id)];
    const auto range = operation_cell(run.input(), {}, item, c);
    if (!range) continue;
    const auto sums = range_statistics(run.input().run, &run.story(), *range, all_devices(run.input().run));
    const auto row = std::ranges::find_if(sums.operations, [&](const OperationStatistics& o) {
      return std::ranges::count(o.instructions, item.instruction) > 0;
    });
    ASSERT_NE(row, sums.operations.end()) << each.name;
    EXPECT_TRUE(each.name.starts_with(row->key + ", ")) << each.name;
    EXPECT_TRUE(each.name.ends_with(", " + format_percent(sums.share(row->busy)))) << each.name;
    EXPECT_EQ(operation_cell_words(run.input(), {}, item, c), std::vector{each.name});
    ++cells;
  }
  EXPECT_GT(cells, 20);
}

TEST(Operations, OfADeviceThatIsSelectedAreItsOwn) {
  const SampleRun run("cannon.os", "row=2,col=2");
  Selection selection;
  selection.selected.kind = ItemId::Kind::device;
  selection.selected.device = 3;
  EXPECT_NE(layout_operations(run.input(), selection, canvas(900, 400)).text(),
            layout_operations(run.input(), {}, canvas(900, 400)).text());
}

TEST(Operations, AreTheSameWithSumsAtHand) {
  const SampleRun run("meshslice.ls", "row=2,col=4");
  ViewInput with = run.input();
  const RunSums sums = *sum_run(with.run, with.story);
  with.sums = &sums;
  for (const float width : {300.0F, 900.0F, 1920.0F, 4000.0F})
    EXPECT_EQ(layout_operations(with, {}, canvas(width, 400)).text(),
              layout_operations(run.input(), {}, canvas(width, 400)).text());
}

TEST(ShardingGrid, ItemsAreBoundedByPixels) {
  const SampleRun run("collective.os", "row=16,col=16");
  const Scene scene = layout_sharding_grid(run.input(), {}, {}, canvas(300, 200));
  EXPECT_LT(scene.rects().size(), 20'000U);
}

TEST(ShardingGrid, PartialSumsSayHowMany) {
  const SampleRun run("wang.os", "row=2,col=4");
  const auto steps = *run.trace().steps();
  bool seen = false;
  for (size_t s = 0; s < steps.size(); ++s) {
    const Scene scene =
        layout_sharding_grid(run.input(), {}, run.at(static_cast<int32_t>(s)), canvas(1200, 800));
    for (const TextItem& t : scene.texts())
      seen = seen || (t.text[0] >= '1' && t.text[0] <= '9' && t.text.find(" of ") != std::string::npos);
  }
  EXPECT_TRUE(seen);
}

TEST(ShardingGrid, ABlockPointedAtMarksItsDevices) {
  const SampleRun run("wang.os", "row=2,col=4");
  Selection selection = run.at(0);
  const auto outlines = [&](const Scene& scene) {
    return std::count_if(scene.rects().begin(), scene.rects().end(),
                         [](const RectItem& r) { return r.border_width == 3; });
  };
  EXPECT_EQ(outlines(layout_sharding_grid(run.input(), {}, selection, canvas(1200, 800))), 0);
  selection.hovered.kind = ItemId::Kind::block;
  selection.hovered.lane = 0;
  selection.hovered.index = 5;
  EXPECT_GE(outlines(layout_sharding_grid(run.input(), {}, selection, canvas(1200, 800))), 1);
}

// The rectangles of a scene that stand for items of a kind.
std::vector<Rect> rects_of(const Scene& scene, ItemId::Kind kind) {
  std::vector<Rect> out;
  for (const RectItem& r : scene.rects()) {
    if (r.id >= 0 && scene.ids()[static_cast<size_t>(r.id)].kind == kind) out.push_back(r.rect);
  }
  return out;
}

TEST(Ring, ChunksMoveWithTheClock) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Scene a = layout_ring(run.input(), {}, run.at(0, 0.1), canvas(1000, 600));
  const Scene b = layout_ring(run.input(), {}, run.at(0, 0.9), canvas(1000, 600));
  const std::vector<Rect> early = rects_of(a, ItemId::Kind::chunk);
  const std::vector<Rect> late = rects_of(b, ItemId::Kind::chunk);
  ASSERT_EQ(early.size(), late.size());
  ASSERT_FALSE(early.empty());
  EXPECT_NE(early[0], late[0]);
}

// The texts of a scene that hold `part`.
size_t texts_with(const Scene& scene, const std::string& part) {
  return static_cast<size_t>(
      std::count_if(scene.texts().begin(), scene.texts().end(),
                    [&](const TextItem& t) { return t.text.find(part) != std::string::npos; }));
}

TEST(ShardingGrid, CountsSumsOfARunningReductionAsTheyArrive) {
  const SampleRun run("psum", "row=4,col=2", CollectiveAlgorithm::bidirectional);
  const auto at = [&](int32_t step) {
    return layout_sharding_grid(run.input(), {}, run.at(step), canvas(1200, 800));
  };
  EXPECT_EQ(texts_with(at(0), "1 of 2"), 4U);
  EXPECT_EQ(texts_with(at(1), "1 of 2"), 0U) << "half of each block is summed, what was sent for it is gone";
  EXPECT_EQ(texts_with(at(2), "1 of 2"), 0U);
}

TEST(ShardingGrid, ShowsAllOfYAtTheEnd) {
  for (const char* strategy : {"wang.os", "wang.ls", "collective.rs", "psum"}) {
    const SampleRun run(strategy, "row=2,col=4");
    Selection end;
    end.time = run.trace().total();
    const Scene scene = layout_sharding_grid(run.input(), {}, end, canvas(1200, 800));
    for (const AccessibleItem& item : scene.accessible())
      EXPECT_EQ(item.name.find("not there yet"), std::string::npos) << strategy << ": " << item.name;
  }
}

TEST(EveryView, NothingIsCutOffInTheDocks) {
  for (const char* strategy : {"wang.os", "collective.os", "psum"}) {
    const SampleRun run(strategy, "row=1,col=8");
    for (const char* view : {"grid", "ring"}) {
      for (const float scale : {1.0F, 2.0F}) {
        Canvas c = canvas(540, 300);
        c.theme.scale = scale;
        EXPECT_EQ(texts_with(*layout_named(view, run.input(), {}, c), "…"), 0U) << view << " " << scale;
      }
    }
  }
}

TEST(Ring, BlocksOnTheWayTouchNoDevice) {
  for (const char* mesh : {"row=2,col=4", "row=4,col=2", "row=1,col=8"}) {
    const SampleRun run("wang.os", mesh);
    for (const double fraction : {0.1, 0.5, 1.0}) {
      const Scene scene = layout_ring(run.input(), {}, run.at(0, fraction), canvas(540, 300));
      const std::vector<Rect> chips = rects_of(scene, ItemId::Kind::chunk);
      EXPECT_FALSE(chips.empty()) << mesh << " " << fraction;
      for (const Rect& box : rects_of(scene, ItemId::Kind::device)) {
        for (const Rect& chip : chips)
          EXPECT_FALSE(box.inset(1).contains({chip.x + chip.w / 2, chip.y + chip.h / 2}))
              << mesh << " " << fraction;
      }
    }
  }
}

TEST(Ring, ManyDevicesCarryNoWords) {
  const SampleRun run("wang.os", "row=16,col=16");
  RingViewport viewport;
  viewport.table = false;
  EXPECT_LE(layout_ring(run.input(), viewport, {}, canvas(540, 300)).texts().size(), 5U);
}

TEST(Ring, NamesBlocksAndBytes) {
  const SampleRun run("wang.os", "row=2,col=4");
  Selection first;
  first.time = run.story().moment_of(1);
  const Scene scene = layout_ring(run.input(), {}, first, canvas(2200, 900));
  EXPECT_GE(texts_with(scene, "steps 1–2 of "), 1U);
  EXPECT_GE(texts_with(scene, "KiB"), 6U) << "bytes beside links";
  const auto said = [&](const std::string& part) {
    return std::any_of(scene.accessible().begin(), scene.accessible().end(),
                       [&](const AccessibleItem& a) { return a.name.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(said("a0.1/2 (0,0) → (0,1)"));
  EXPECT_TRUE(said("link (0,0) → (0,1), col+, "));
}

TEST(NamedViews, AnUnknownNameIsAnErrorThatOffersTheNearest) {
  const SampleRun run;
  const auto scene = layout_named("timelin", run.input(), {}, canvas(100, 100));
  ASSERT_FALSE(scene.ok());
  EXPECT_EQ(scene.error().fix, "did you mean timeline");
}

}  // namespace
}  // namespace shardscope::layout_test
