// SPDX-License-Identifier: Apache-2.0
// A stored run's pictures from its record's levels of detail, against those from its events.
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/workspace.h"
#include "tests/engine/run/unalike_run.h"
#include "tests/views/agree/told_run.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/details.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/now.h"
#include "views/scene/story/range_sums.h"

namespace shardscope::agree_test {
namespace {

Canvas stored_canvas() {
  Canvas canvas;
  canvas.width = 1400;
  canvas.height = 900;
  canvas.theme = light_theme();
  return canvas;
}

// A run as it was read whole, and as its record tells of it; both before they are told.
struct Both {
  RunPtr whole, outline;
  std::unique_ptr<TraceSource> memory, stored;
  EqualDevices memory_equal, stored_equal;

  explicit Both(RunPtr run) : whole(std::move(run)) {
    const auto workspace = Workspace::in_memory().value();
    const int64_t id = workspace->record(whole).value();
    EXPECT_TRUE(workspace->wait().ok());
    outline = workspace->outline(id).value();
    memory = memory_trace(whole);
    stored = workspace->trace(id).value();
    memory_equal = equal_devices(*whole, *memory);
    stored_equal = equal_devices(*outline, *stored);
  }
  ViewInput from_events() const { return {*whole, *memory, nullptr, true}; }
  ViewInput from_levels() const { return {*outline, *stored, nullptr, true}; }
};

// But for the words about what is not told yet.
std::string untold(const Scene& scene, const ViewInput& input) {
  std::string text = scene.text();
  const std::string why = why_untold(input);
  for (size_t at = 0; (at = text.find(why)) != std::string::npos;) text.erase(at, why.size());
  return text;
}

std::vector<std::pair<std::string, RunPtr>> stored_runs() {
  std::vector<std::pair<std::string, RunPtr>> out;
  for (const char* strategy : {"wang.os", "cannon.os", "summa.ls", "collective.os"})
    out.emplace_back(strategy, told_strategy(strategy, "row=4,col=4")->run);
  out.emplace_back("unalike", make_unalike_run(60'000));
  return out;
}

// At every zoom, and where one event is chosen: the critical path, the rows that are the same, the names.
TEST(StoredPictures, OfTheTimelineSayWhatThoseFromTheEventsSay) {
  for (const auto& [name, run] : stored_runs()) {
    const Both both(run);
    for (int zoom = 1; zoom <= 1'000; zoom *= 10) {
      TimelineViewport viewport;
      viewport.rows.counts = false;  // which needs every event
      const Picoseconds length = run->timeline.total / zoom, start = (run->timeline.total - length) / 3;
      viewport.range = {start, start + length};
      viewport.collapse_equal = both.stored_equal.exact;
      for (const int32_t chosen : {-1, 7}) {
        Selection selection;
        selection.time = start + length / 2;
        if (chosen >= 0) selection.selected = event_item(both.from_events(), chosen);
        viewport.arrows = chosen < 0;  // from what an event let start; which needs every event
        const Scene expected = layout_timeline(both.from_events(), viewport, selection, stored_canvas());
        const Scene found = layout_timeline(both.from_levels(), viewport, selection, stored_canvas());
        EXPECT_GT(expected.order().size(), 20U) << name;
        EXPECT_EQ(untold(found, both.from_levels()), untold(expected, both.from_events()))
            << name << ", zoom " << zoom << ", event " << chosen;
      }
    }
  }
}

TEST(StoredPictures, TellOfAnEventWhatItsRowSays) {
  const Both both(told_strategy("wang.os", "row=2,col=4")->run);
  for (int32_t event = 0; event < std::ssize(both.whole->timeline.events); ++event) {
    const ItemId item = event_item(both.from_events(), event);
    EXPECT_EQ(event_item(both.from_levels(), event), item);
    EXPECT_EQ(describe(both.from_levels(), item, 0), describe(both.from_events(), item, 0));
  }
}

// What needs every event says that they are being read: not that they were not kept, nor that there are none.
TEST(StoredPictures, SayOfWhatIsNotReadYetThatItIsNotReadYet) {
  const Both both(told_strategy("wang.os", "row=2,col=4")->run);
  const ViewInput input = both.from_levels();
  const std::string reading = "events are being read";
  ASSERT_TRUE(is_unread(input));
  EXPECT_FALSE(is_unread(both.from_events()));
  EXPECT_NE(why_untold(input).find(reading), std::string::npos);
  EXPECT_NE(why_not_summed(input).find(reading), std::string::npos);
  Selection of_event, of_instruction;
  of_event.selected = event_item(input, 3);
  of_instruction.selected.kind = ItemId::Kind::instruction;
  of_instruction.selected.instruction = of_event.selected.instruction;
  for (const Selection& selection : {Selection(), of_event, of_instruction})
    EXPECT_NE(details_markdown(details_of(input, selection)).find(reading), std::string::npos);
  for (const RunView& view : run_views()) {
    const std::string id = view.id;
    if (id == "timeline" || id == "links" || id == "numerics" || id == "bits" || id == "steps") continue;
    const std::string text = view.layout(input, {}, {}, stored_canvas()).text();
    EXPECT_NE(text.find(reading), std::string::npos) << id << ": " << text;
    EXPECT_EQ(text.find("kept"), std::string::npos) << id << ": " << text;
  }
  TimelineViewport counted;
  counted.rows.counts = true;
  EXPECT_NE(layout_timeline(input, counted, {}, stored_canvas()).text().find(reading), std::string::npos);
  ViewInput left = input;
  left.telling = false;
  left.stopped = true;
  EXPECT_NE(why_untold(left).find("were not read"), std::string::npos);
  EXPECT_NE(why_not_summed(left).find("were not read"), std::string::npos);
}

// How busy each link is is known from the levels.
TEST(StoredPictures, OfTheLinksAreThoseOfTheEvents) {
  for (const auto& [name, run] : stored_runs()) {
    const Both both(run);
    EXPECT_TRUE(layout_links(both.from_levels(), {}, stored_canvas()) ==
                layout_links(both.from_events(), {}, stored_canvas()))
        << name;
  }
}

}  // namespace
}  // namespace shardscope::agree_test
