// SPDX-License-Identifier: Apache-2.0
// Which canvases lay out anew when something changes: only those that show it.
#include <map>
#include <memory>
#include <utility>

#include "app/window/runs/make_run_canvas.h"
#include "tests/app/window_fixture.h"
#include "views/scene/story/event_text.h"

namespace shardscope::layouts_test {
namespace {

using Counts = std::map<std::string, int64_t>;

class LayoutsTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    runAll();
    showRunOf("wang.os");
    for (const RunView& view : run_views()) {
      std::unique_ptr<RunCanvas> canvas(make_run_canvas(view, clock(), nullptr));
      canvas->resize(900, 400);
      canvas->show();
      canvases_.emplace(view.id, std::move(canvas));
    }
    settle(200);
    made();
  }
  TimelineCanvas& timeline() { return dynamic_cast<TimelineCanvas&>(*canvases_.at("timeline")); }

  // By view: how often it was laid out since this was last asked.
  Counts made() {
    Counts out;
    for (const auto& [id, canvas] : canvases_) {
      canvas->scene();
      const int64_t before = std::exchange(before_[id], canvas->layouts());
      if (canvas->layouts() > before) out[id] = canvas->layouts() - before;
    }
    return out;
  }
  ItemId event(int32_t number) { return event_item(clock().shown()->input(), number); }

 private:
  std::map<std::string, std::unique_ptr<RunCanvas>> canvases_;  // all of them in sight
  Counts before_;
};

TEST_F(LayoutsTest, OfEventsOfADeviceThatArePointedAtOnlyTheTimelineIs) {
  clock().hover(event(0));
  made();
  int events = 0;
  const auto& all = clock().shown()->run->timeline.events;
  for (int32_t i = 1; i < std::ssize(all) && events < 10; ++i) {
    if (all[static_cast<size_t>(i)].device != all[0].device) continue;
    clock().hover(event(i));
    EXPECT_EQ(made(), (Counts{{"timeline", 1}})) << i;
    ++events;
  }
  EXPECT_EQ(events, 10);
}

TEST_F(LayoutsTest, OfABlockThatIsPointedAtThoseOfBlocksAre) {
  clock().hover({.kind = ItemId::Kind::block, .lane = 0, .index = 0});
  EXPECT_EQ(made(), (Counts{{"grid", 1}, {"product", 1}}));
  clock().hover({.kind = ItemId::Kind::block, .lane = 0, .index = 1});
  EXPECT_EQ(made(), (Counts{{"grid", 1}, {"product", 1}}));
  clock().hover({});
  EXPECT_EQ(made(), (Counts{{"grid", 1}, {"product", 1}}));
}

// Once a device is selected it is whose memory and roofline are shown.
TEST_F(LayoutsTest, OfADeviceThatIsPointedAtThoseAreThatMarkIt) {
  clock().hover({.kind = ItemId::Kind::device, .device = 1});
  EXPECT_EQ(made(), (Counts{{"grid", 1}, {"memory", 1}, {"product", 1}, {"ring", 1}, {"roofline", 1}}));
  clock().select({.kind = ItemId::Kind::device, .device = 0});
  made();
  clock().hover({.kind = ItemId::Kind::device, .device = 2});
  EXPECT_EQ(made(), (Counts{{"grid", 1}, {"product", 1}, {"ring", 1}}));
}

TEST_F(LayoutsTest, OfAHandleThatIsPointedAtNoneIs) {
  clock().hover({.kind = ItemId::Kind::handle, .index = 4});
  EXPECT_EQ(made(), Counts());
}

TEST_F(LayoutsTest, WhenTheMomentMovesOnlyWhatShowsItIs) {
  const Beat& beat = clock().story()->beats().at(2);
  clock().player().setTime(beat.start + (beat.end - beat.start) / 2);
  for (const char* still : {"links", "roofline", "numerics", "bits", "steps"})
    EXPECT_FALSE(made().contains(still));
  const Picoseconds now = clock().selection().time;
  const TimeRange steady = clock().story()->steady(now);
  ASSERT_GT(steady.end, now + 1);
  made();
  clock().player().setTime(now + 1);
  EXPECT_EQ(made(), (Counts{{"memory", 1}, {"operations", 1}, {"product", 1}, {"ring", 1}, {"timeline", 1}}));
  clock().player().setTime(steady.end);
  EXPECT_TRUE(made().contains("grid"));
}

TEST_F(LayoutsTest, OfAMarkedRangeThoseAreThatShowIt) {
  clock().setRange(TimeRange{0, clock().shown()->run->timeline.total / 2});
  EXPECT_EQ(made(), (Counts{{"links", 1}, {"operations", 1}, {"timeline", 1}}));
}

TEST_F(LayoutsTest, OfAnotherRunAllAre) {
  showRunOf("collective.os");
  const Counts counts = made();
  EXPECT_EQ(counts.size(), run_views().size());
}

// However it was made, as What if makes it: what its pictures ask again is found when they ask it.
TEST_F(LayoutsTest, ARunThatWasPutTogetherHasTheSamePictures) {
  const ShownRunPtr& whole = clock().shown();
  ShownRun bare;
  bare.run = whole->run;
  bare.trace = whole->trace;
  bare.story = whole->story;
  bare.sums = whole->sums;
  Selection now;
  now.time = whole->run->timeline.total / 2;
  Canvas to;
  to.width = 900;
  to.height = 400;
  for (const RunView& view : run_views())
    EXPECT_EQ(view.layout(bare.input(), {}, now, to), view.layout(whole->input(), {}, now, to)) << view.id;
}

// What moves a picture is its own.
TEST_F(LayoutsTest, OfAPictureThatIsMovedOnlyItselfIs) {
  timeline().fitAll();
  EXPECT_EQ(made(), (Counts{{"timeline", 1}}));
}

}  // namespace
}  // namespace shardscope::layouts_test
