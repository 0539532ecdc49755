// SPDX-License-Identifier: Apache-2.0
// The map of a product's shardings: pinned arrays, cases, and what crossed over.
#include <algorithm>
#include <gtest/gtest.h>

#include "sample_run.h"
#include "views/scene/charts/atlas.h"

namespace shardscope::atlas_view_test {
namespace {

// Two shardings of each array; times are 1 to 8 µs by lhs, rhs, result.
Atlas two_by_two() {
  Atlas out;
  out.splits.resize(2);
  for (size_t k = 0; k < 8; ++k) {
    AtlasTriple t;
    t.lhs = k / 4;
    t.rhs = k / 2 % 2;
    t.result = k % 2;
    t.best.time = t.xla.time = t.shardy.time = static_cast<Picoseconds>(k + 1) * 1'000'000;
    t.strategy = "local";
    t.which = static_cast<ProductCase>(k % 4 + 1);
    out.triples.push_back(std::move(t));
  }
  return out;
}
const std::vector<std::string> kSpecs{"whole", "split"};

std::vector<std::string> spoken(const Scene& scene) {
  std::vector<std::string> out;
  for (const AccessibleItem& item : scene.accessible()) out.push_back(item.name);
  return out;
}

TEST(AtlasView, PinnedArraysLeaveTheOthersAsRowsAndColumns) {
  const Atlas atlas = two_by_two();
  AtlasView view;
  EXPECT_EQ(atlas_grid(atlas, view), (AtlasGrid{2, 2}));
  EXPECT_EQ(shown_triple(atlas, view, 1, 0).result, 0U) << "the fastest result";
  view.lhs = 1;
  EXPECT_EQ(atlas_grid(atlas, view), (AtlasGrid{2, 2}));
  const AtlasTriple& by_rhs_and_result = shown_triple(atlas, view, 0, 1);
  EXPECT_EQ(by_rhs_and_result.lhs, 1U);
  EXPECT_EQ(by_rhs_and_result.rhs, 0U);
  EXPECT_EQ(by_rhs_and_result.result, 1U);
  view.result = 1;
  EXPECT_EQ(atlas_grid(atlas, view), (AtlasGrid{2, 1}));
  EXPECT_EQ(spoken(layout_atlas(atlas, kSpecs, view, canvas(600, 400))).size(), 2U);
  view.rhs = 0;
  EXPECT_EQ(atlas_grid(atlas, view), (AtlasGrid{1, 1}));
  EXPECT_EQ(shown_triple(atlas, view, 0, 0).best.time, 6'000'000);
}

TEST(AtlasView, EveryPlaceSaysItsCase) {
  const Atlas atlas = two_by_two();
  const auto words = spoken(layout_atlas(atlas, kSpecs, {}, canvas(600, 400)));
  ASSERT_EQ(words.size(), 4U);
  EXPECT_NE(words[0].find("case 1: k is whole"), std::string::npos) << words[0];
  EXPECT_NE(words[1].find("case 3: k is split in both alike"), std::string::npos) << words[1];
}

// In a window that is too low for two lines in a cell.
TEST(AtlasView, ALowCellStillSaysItsValue) {
  const auto said = [](const std::string& what, float height) {
    const Scene scene = layout_atlas(two_by_two(), kSpecs, {}, canvas(600, height));
    return std::ranges::any_of(scene.texts(),
                               [&](const TextItem& t) { return t.text.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(said("7.00 µs", 400) && said("case 3", 400));
  EXPECT_TRUE(said("7.00 µs", 124));
  EXPECT_FALSE(said("case 3", 124));
}

TEST(AtlasView, ARingStandsWhereAnotherWayWasTheFastest) {
  const Atlas before = two_by_two();
  Atlas now = before;
  now.triples[0].strategy = "all-gather lhs over x";
  EXPECT_EQ(crossed_cells(now, before, {}), 1U);
  EXPECT_EQ(crossed_cells(now, now, {}), 0U);
  const auto rings = [&](const Atlas* other) {
    const Scene scene = layout_atlas(now, kSpecs, {}, canvas(600, 400), other);
    return std::ranges::count_if(scene.rects(), [](const RectItem& r) { return r.border_width > 0; });
  };
  EXPECT_EQ(rings(&before), 1);
  EXPECT_EQ(rings(nullptr), 0);
}

}  // namespace
}  // namespace shardscope::atlas_view_test
