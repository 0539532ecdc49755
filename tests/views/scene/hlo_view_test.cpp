// SPDX-License-Identifier: Apache-2.0
// Lines between two texts, and an array's tiles.
#include <algorithm>

#include "golden_scene.h"
#include "sample_run.h"
#include "views/scene/module/layout_hlo.h"

namespace shardscope::hlo_view_test {
namespace {

ShardedArray array(const std::string& sharding, std::vector<int64_t> dims, const std::string& mesh) {
  ShardedArray out{"p0", "f32", std::move(dims), std::nullopt, *Mesh::parse(mesh)};
  if (!sharding.empty()) out.sharding = *HloSharding::parse(sharding);
  return out;
}

std::vector<std::string> spoken(const Scene& scene) {
  std::vector<std::string> out;
  for (const AccessibleItem& item : scene.accessible()) out.push_back(item.name);
  return out;
}

TEST(HloView, GoldenPictures) {
  expect_golden("hlo_tiles",
                layout_tiles(array("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {16, 32}, "x=2,y=2"), {},
                             canvas(360, 200)));
  expect_golden("hlo_links", layout_line_links({{"a", "all-gather", 20, 60, true, "a becomes all-gather"},
                                                {"b", "dot", 40, 90, false}},
                                               canvas(44, 120)));
}

TEST(HloView, EveryTileSaysItsRangeAndItsDevices) {
  const ShardedArray a = array("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {16, 32}, "x=2,y=2");
  EXPECT_EQ(spoken(layout_tiles(a, {}, canvas(360, 200))),
            (std::vector<std::string>{"[0:8, 0:32] on 0,1", "[8:16, 0:32] on 2,3"}));
  EXPECT_EQ(describe_tile(a, 1), (std::vector<std::string>{"p0[8:16, 0:32]", "on 2,3"}));
  EXPECT_TRUE(describe_tile(a, 2).empty());
}

// Ranks beyond two are planes side by side; what the dimension does not fill is cut off.
TEST(HloView, TilesOfAnyRankAndUnevenOnes) {
  const Scene three =
      layout_tiles(array("{devices=[2,1,2]<=[4]}", {4, 3, 5}, "x=2,y=2"), {}, canvas(400, 240));
  EXPECT_EQ(spoken(three), (std::vector<std::string>{"[0:2, 0:3, 0:3] on 0", "[0:2, 0:3, 3:5] on 1",
                                                     "[2:4, 0:3, 0:3] on 2", "[2:4, 0:3, 3:5] on 3"}));
  EXPECT_EQ(spoken(layout_tiles(array("", {4}, "x=4"), {}, canvas(400, 240))),
            std::vector<std::string>{"all of it on every device"});
  // What a device of a module that came partitioned has is not the whole of anything.
  ShardedArray own = array("", {4}, "x=4");
  own.holds = ShardedArray::Holds::own;
  EXPECT_EQ(spoken(layout_tiles(own, {}, canvas(400, 240))),
            std::vector<std::string>{"its own part on each device"});
  EXPECT_EQ(sharding_words(own), "already partitioned: one device's part");
  EXPECT_EQ(spoken(layout_tiles(array("{maximal device=3}", {4}, "x=4"), {}, canvas(400, 240))),
            std::vector<std::string>{"all of it on 3"});
}

TEST(HloView, ShardingsAreSaidAsJaxWritesThem) {
  EXPECT_EQ(
      sharding_words(array("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", {8, 8}, "x=2,y=2")),
      "P(None, 'y') on x=2,y=2");
  EXPECT_EQ(sharding_words(array("", {8}, "x=2")), "no sharding: replicated");
}

TEST(HloView, ChosenLinksStayInSightAndSayWhatBecomesWhat) {
  const Scene scene = layout_line_links(
      {{"dot.1", "all-gather", -50, 400, true, "%0 (dot.1) becomes all-gather"}, {"a", "b", -50, 400, false}},
      canvas(44, 100));
  ASSERT_EQ(scene.lines().size(), 2u);
  for (const Point& p : scene.lines().back().points) {
    EXPECT_GE(p.y, 0);
    EXPECT_LE(p.y, 100);
  }
  EXPECT_EQ(scene.lines().front().points.front().y, -50);  // not chosen: where it is
  EXPECT_EQ(spoken(scene), std::vector<std::string>{"%0 (dot.1) becomes all-gather"});
}

TEST(HloView, ThousandsOfTilesAndDevicesStayInsideTheCanvas) {
  for (const float scale : {1.0F, 2.0F}) {
    for (const Theme& theme : {light_theme(), dark_theme()}) {
      Canvas c = canvas(320, 180, theme);
      c.theme.scale = scale;
      const Scene scene = layout_tiles(array("{devices=[64,64]<=[4096]}", {4096, 4096}, "x=64,y=64"), {}, c);
      EXPECT_EQ(scene.accessible().size(), 4096u);
      for (const RectItem& r : scene.rects()) {
        EXPECT_GE(r.rect.x, 0);
        EXPECT_LE(r.rect.right(), 320);
        EXPECT_LE(r.rect.bottom(), 180);
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::hlo_view_test
