// SPDX-License-Identifier: Apache-2.0
// What a view says it shows of a selection, held against what it draws.
#include <algorithm>
#include <vector>

#include "tests/views/scene/sample_run.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

// What can be pointed at in any of the pictures, thinned out: events, devices, blocks, cells, none.
std::vector<ItemId> things_in(const ViewInput& input, const Selection& now, const Canvas& to) {
  std::vector<ItemId> out{ItemId()};
  for (const RunView& view : run_views()) {
    const std::vector<ItemId>& ids = view.layout(input, {}, now, to).ids();
    const size_t by = std::max<size_t>(1, ids.size() / 5);
    for (size_t i = 0; i < ids.size(); i += by) out.push_back(ids[i]);
  }
  return out;
}

std::vector<Selection> selections_of(const ViewInput& input, const Canvas& to) {
  std::vector<Selection> out;
  const Picoseconds total = input.trace.total();
  const ItemId event = event_item(input, static_cast<int32_t>(input.trace.event_count() / 2));
  for (const Picoseconds time : {Picoseconds{0}, total / 3, total / 3 + 1, total}) {
    Selection now;
    now.time = time;
    for (const ItemId& thing : things_in(input, now, to)) {
      now.hovered = thing;
      out.push_back(now);
      now.selected = event;
      out.push_back(now);
      now.selected = {.kind = ItemId::Kind::device, .device = 1};
      now.range = TimeRange{total / 4, total / 2};
      out.push_back(now);
      now.selected = {};
      out.push_back(now);
      now.range.reset();
    }
  }
  return out;
}

void expect_seen(const ViewInput& input, const Canvas& to) {
  const std::vector<Selection> all = selections_of(input, to);
  size_t less = 0;
  for (const RunView& view : run_views()) {
    for (const Selection& now : all) {
      const Selection seen = view.seen(input, {}, now, to);
      less += seen == now ? 0U : 1U;
      if (seen == now) continue;
      ASSERT_EQ(view.seen(input, {}, seen, to), seen) << view.id;
      ASSERT_EQ(view.layout(input, {}, seen, to), view.layout(input, {}, now, to))
          << view.id << " at " << now.time << ", " << static_cast<int>(now.hovered.kind) << " of device "
          << now.hovered.device;
    }
  }
  EXPECT_GT(less, all.size());
}

TEST(Seen, WhatAViewShowsOfASelectionHasTheSamePicture) {
  for (const auto& [strategy, mesh] : {std::pair{"wang.os", "row=2,col=4"}, {"cannon.os", "row=4,col=4"}}) {
    const SampleRun run(strategy, mesh);
    for (const float width : {500.0F, 1400.0F}) expect_seen(run.input(), canvas(width, 600));
    const ViewInput untold{run.input().run, run.trace()};
    expect_seen(untold, canvas(900, 500));
  }
}

// Its table beside the ring has room for some of the devices: the page with the one that is pointed at.
TEST(Seen, TheRingFollowsADeviceWhereItsTableHasPages) {
  const SampleRun many("cannon.os", "row=8,col=8");
  const ViewInput input = many.input();
  EXPECT_TRUE(ring_follows_device(input, {}, canvas(1400, 900)));
  EXPECT_FALSE(ring_follows_device(input, {1, {}, false}, canvas(1400, 900)));
  EXPECT_FALSE(ring_follows_device(input, {}, canvas(600, 900)));
  Selection near, far;
  near.hovered = event_item(input, 0);
  far.hovered = {.kind = ItemId::Kind::event, .device = 60, .event = 0};
  const Canvas wide = canvas(1400, 900);
  EXPECT_NE(layout_ring(input, {}, near, wide), layout_ring(input, {}, far, wide));
  const SampleRun few("cannon.os", "row=2,col=2");
  EXPECT_FALSE(ring_follows_device(few.input(), {}, wide));
}

TEST(Seen, AnEventThatIsPointedAtIsToBeSeenOnTheTimelineAndByItsDevice) {
  const SampleRun run("wang.os", "row=2,col=4");
  const ViewInput input = run.input();
  Selection one, other;
  one.hovered = event_item(input, 3);
  other.hovered = one.hovered;
  other.hovered.event = 5;  // of the same device
  for (const RunView& view : run_views()) {
    const Canvas to = canvas(900, 500);
    const bool same = view.seen(input, {}, one, to) == view.seen(input, {}, other, to);
    EXPECT_EQ(same, std::string(view.id) != "timeline") << view.id;
  }
}

}  // namespace
}  // namespace shardscope
