// SPDX-License-Identifier: Apache-2.0
// The picture of a grouped matmul's schedule.
#include <algorithm>

#include "golden_scene.h"
#include "sample_run.h"
#include "views/scene/chip/layout_grouped.h"

namespace shardscope::grouped_view_test {
namespace {

GroupMetadata schedule_of(std::vector<int64_t> sizes, int64_t m, int64_t tm, int64_t first = 0,
                          std::optional<int64_t> local = std::nullopt, bool visit_empty = false) {
  GroupedRows rows;
  rows.group_sizes = std::move(sizes);
  rows.m = m;
  rows.tm = tm;
  rows.group_offset = first;
  rows.local_groups = local;
  rows.visit_empty = visit_empty;
  rows.allow_short = true;
  return *make_group_metadata(rows);
}

// Width of the rectangles of a visit in the grid: with a pattern the whole tile, without the group's rows.
float width_of(const Scene& scene, int32_t step, bool pattern) {
  for (const RectItem& r : scene.rects()) {
    if (r.id < 0 || r.radius > 0 || (r.pattern == Pattern::stripes) != pattern) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(r.id)];
    if (id.kind == ItemId::Kind::block && id.index == step) return r.rect.w;
  }
  return 0;
}

TEST(GroupedView, GoldenPictures) {
  expect_golden("grouped_straddle", layout_grouped(schedule_of({3, 6, 7}, 16, 4), {1, 2}, canvas(800, 420)));
  expect_golden("grouped_shard",
                layout_grouped(schedule_of({3, 0, 6, 3}, 16, 4, 1, 2, true), {}, canvas(700, 380)));
}

TEST(GroupedView, OwnRowsAreAsWideAsTheirShareOfTheTile) {
  const GroupMetadata meta = schedule_of({3, 6, 7}, 16, 4);
  const Scene scene = layout_grouped(meta, {}, canvas(800, 420));
  const float tile = grouped_axis(meta, canvas(800, 420)).width / 4;
  EXPECT_FLOAT_EQ(width_of(scene, 0, true), tile);
  EXPECT_FLOAT_EQ(width_of(scene, 0, false), tile * 3 / 4);
  EXPECT_FLOAT_EQ(width_of(scene, 2, true), 0);  // a full tile has no hatching
  EXPECT_FLOAT_EQ(width_of(scene, 2, false), tile);
}

TEST(GroupedView, EverythingStaysInsideInEveryLook) {
  for (const float scale : {1.0F, 2.0F}) {
    for (const Theme& theme : {light_theme(), dark_theme()}) {
      for (const auto& [width, height] : {std::pair{420.0F, 360.0F}, std::pair{1100.0F, 640.0F}}) {
        Canvas c = canvas(width, height, theme);
        c.theme.scale = scale;
        const Scene scene = layout_grouped(schedule_of({3, 6, 0, 7}, 16, 4), {}, c);
        for (const TextItem& t : scene.texts()) {
          const float w = estimate_text_width(t.text, t.px, t.face);
          const float left = t.at.x - (t.align == Align::center ? w / 2 : t.align == Align::right ? w : 0);
          EXPECT_GE(left, -1) << t.text;
          EXPECT_LE(left + w, width + 1) << t.text;
        }
        for (const RectItem& r : scene.rects()) {
          EXPECT_GE(r.rect.w, 0);
          EXPECT_LE(r.rect.right(), width + 1);
        }
      }
    }
  }
}

TEST(GroupedView, LargeSchedulesAreSummedUp) {
  std::vector<int64_t> sizes(256, 4096);
  sizes[0] += 1;
  sizes[255] -= 1;
  const Scene scene = layout_grouped(schedule_of(sizes, 256 * 4096, 128), {}, canvas(1000, 600));
  EXPECT_LT(scene.order().size(), 6000U);
  EXPECT_GT(scene.rects().size(), 256U);
}

TEST(GroupedView, HandlesAreFoundAtTheirRowAndSayWhatTheyDo) {
  const GroupMetadata meta = schedule_of({3, 6, 7}, 16, 4);
  const Scene scene = layout_grouped(meta, {}, canvas(800, 420));
  const GroupedAxis axis = grouped_axis(meta, canvas(800, 420));
  const auto hit = scene.hit({axis.x_of(3), 70});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->kind, ItemId::Kind::handle);
  EXPECT_EQ(hit->index, 1);
  EXPECT_EQ(describe(meta, *hit).front(), "boundary of groups 0 and 1 at row 3");
  EXPECT_EQ(axis.row_at(axis.x_of(9)), 9);
  EXPECT_EQ(axis.row_at(-50), 0);
  EXPECT_EQ(axis.row_at(5000), 16);
  const ItemId visit{ItemId::Kind::block, -1, -1, -1, -1, 1};
  EXPECT_EQ(describe(meta, visit), (std::vector<std::string>{"step 1: tile 0 for group 1, rows 3 to 3",
                                                             "3 of 4 rows multiplied for nothing"}));
}

TEST(GroupedView, ABoundaryMovesRowsBetweenItsTwoGroupsAlone) {
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(with_boundary({3, 6, 7}, 1, 4), (Sizes{4, 5, 7}));
  EXPECT_EQ(with_boundary({3, 6, 7}, 2, 100), (Sizes{3, 13, 0}));
  EXPECT_EQ(with_boundary({3, 6, 7}, 2, 0), (Sizes{3, 0, 13}));
  EXPECT_EQ(with_boundary({3, 6, 7}, 0, 5), (Sizes{3, 6, 7}));
  EXPECT_EQ(with_boundary({3, 6, 7}, 3, 5), (Sizes{3, 6, 7}));
}

}  // namespace
}  // namespace shardscope::grouped_view_test
