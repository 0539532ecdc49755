// SPDX-License-Identifier: Apache-2.0
#include "sample_run.h"
#include "scene_claims.h"

namespace shardscope::links_view_test {
namespace {

bool says(const Scene& scene, const std::string& part) {
  return std::any_of(scene.accessible().begin(), scene.accessible().end(),
                     [&](const AccessibleItem& a) { return a.name.find(part) != std::string::npos; });
}

TEST(Links, EveryLinkOfEveryDeviceIsACell) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Scene scene = layout_links(run.input(), {}, canvas(900, 500));
  size_t links = 0;
  for (const Lane& lane : run.trace().lanes()) links += lane.kind == LaneKind::link ? 1 : 0;
  EXPECT_EQ(scene.accessible().size(), links * 8);
  EXPECT_TRUE(shows(scene, "busiest: device "));
  EXPECT_TRUE(says(scene, "device (1,3), col+: "));
  expect_words_inside(scene);
}

// A one-way ring sends all the time of its gather on col+ and never on col-.
TEST(Links, AOneWayRingLeavesTheOtherDirectionEmpty) {
  const SampleRun run("collective.os", "row=1,col=8", CollectiveAlgorithm::ring);
  const Scene scene = layout_links(run.input(), {}, canvas(900, 500));
  EXPECT_TRUE(says(scene, "device (0,0), col-: 0 % busy, 0 B"));
  EXPECT_FALSE(says(scene, "device (0,0), col+: 0 % busy"));
  EXPECT_TRUE(shows(scene, "links carry nothing"));
}

TEST(Links, ARangeCountsOnlyWhatItTouches) {
  const SampleRun run("wang.os", "row=2,col=4");
  Selection selection;
  selection.range = TimeRange{run.trace().total() - 1, run.trace().total()};
  EXPECT_TRUE(shows(layout_links(run.input(), selection, canvas(900, 500)), "Nothing is sent"));
}

TEST(Links, MoreDevicesThanPixelsShareRows) {
  const SampleRun run("wang.os", "row=16,col=16");
  const Scene scene = layout_links(run.input(), {}, canvas(400, 200));
  EXPECT_TRUE(shows(layout_links(run.input(), {}, canvas(1600, 200)), "each row the busiest of"));
  EXPECT_LT(scene.rects().size(), 256U * 4U);
  expect_words_inside(scene);
}

}  // namespace
}  // namespace shardscope::links_view_test
