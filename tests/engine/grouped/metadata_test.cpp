// SPDX-License-Identifier: Apache-2.0
// The schedule of a grouped matmul against worked examples, a count by rows, and what it promises.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "tests/engine/grouped/golden_cases.h"
#include "tests/engine/grouped/samples.h"

namespace shardscope::metadata_test {
namespace {

using Ids = std::vector<int64_t>;

GroupedRows rows_of(Ids sizes, int64_t m, int64_t tm, int64_t first = 0,
                    std::optional<int64_t> local = std::nullopt, bool visit_empty = false) {
  GroupedRows out;
  out.group_sizes = std::move(sizes);
  out.m = m;
  out.tm = tm;
  out.group_offset = first;
  out.local_groups = local;
  out.visit_empty = visit_empty;
  return out;
}

TEST(GroupMetadata, EqualsTheWorkedExamplesWithTheirPadding) {
  for (const GoldenCase& c : golden_cases()) {
    for (bool visit_empty : {false, true}) {
      const auto meta =
          make_group_metadata(rows_of(c.group_sizes, c.m, c.tm, c.group_offset, c.local_groups, visit_empty));
      ASSERT_TRUE(meta.ok()) << c.name << ": " << meta.error().text();
      const GoldenVisits& expected = visit_empty ? c.with_empty : c.without_empty;
      EXPECT_EQ(meta->group_offsets, c.group_offsets) << c.name;
      EXPECT_EQ(meta->group_tiles, expected.group_tiles) << c.name;
      EXPECT_EQ(meta->tile_visits, expected.tile_visits) << c.name;
      EXPECT_EQ(meta->group_ids, expected.group_ids) << c.name;
      EXPECT_EQ(meta->m_tile_ids, expected.m_tile_ids) << c.name;
      EXPECT_EQ(meta->num_tiles, expected.num_tiles) << c.name;
    }
  }
}

TEST(GroupMetadata, FollowsTheTableOfHardCases) {
  struct Row {
    const char* name;
    Ids sizes;
    int64_t m, first;
    std::optional<int64_t> local;
    bool visit_empty;
    Ids groups, tiles;  // of the steps
  };
  const std::vector<Row> table = {
      {"four in one tile", {1, 1, 1, 5}, 8, 0, {}, false, {0, 1, 2, 3, 3}, {0, 0, 0, 0, 1}},
      {"empties inside", {3, 0, 0, 5}, 8, 0, {}, false, {0, 3, 3}, {0, 0, 1}},
      {"empties inside, visited", {3, 0, 0, 5}, 8, 0, {}, true, {0, 1, 2, 3, 3}, {0, 0, 0, 0, 1}},
      {"empty ends", {0, 5, 3, 0}, 8, 0, {}, false, {1, 1, 2}, {0, 1, 1}},
      {"empty ends, visited", {0, 5, 3, 0}, 8, 0, {}, true, {0, 1, 1, 2, 3}, {0, 0, 1, 1, 1}},
      {"single tile", {1, 0, 2, 1}, 4, 0, {}, false, {0, 2, 3}, {0, 0, 0}},
      {"single tile, visited", {1, 0, 2, 1}, 4, 0, {}, true, {0, 1, 2, 3}, {0, 0, 0, 0}},
      {"shard of empties", {8, 0, 0, 0}, 8, 2, 2, false, {}, {}},
      {"shard of empties, visited", {8, 0, 0, 0}, 8, 2, 2, true, {2, 3}, {1, 1}},
  };
  for (const Row& row : table) {
    const auto meta =
        make_group_metadata(rows_of(row.sizes, row.m, 4, row.first, row.local, row.visit_empty));
    ASSERT_TRUE(meta.ok()) << row.name;
    Ids groups, tiles;
    for (const TileVisit& visit : meta->visits()) {
      groups.push_back(visit.group);
      tiles.push_back(visit.m_tile);
    }
    EXPECT_EQ(groups, row.groups) << row.name;
    EXPECT_EQ(tiles, row.tiles) << row.name;
  }
}

TEST(GroupMetadata, EfficiencyIsTheShareOfMultipliedRowsThatCount) {
  const auto straddle = make_group_metadata(rows_of({3, 6, 7}, 16, 4));
  EXPECT_EQ(straddle->wasted_rows(), 8);
  EXPECT_DOUBLE_EQ(*straddle->efficiency(), 16.0 / 24);
  const auto aligned = make_group_metadata(rows_of({4, 8, 4}, 16, 4));
  EXPECT_EQ(aligned->wasted_rows(), 0);
  EXPECT_DOUBLE_EQ(*aligned->efficiency(), 1);
  EXPECT_EQ(make_group_metadata(rows_of({8, 0}, 8, 4, 1))->efficiency(), std::nullopt);
}

// Every row of a shard's groups is visited once; a group meets each tile at most once; visits of a tile
// follow one another; at most one visit more than tiles for each further group.
TEST(GroupMetadata, EveryRowHasExactlyOneVisitInEveryShard) {
  std::mt19937 random(7);
  for (int problem = 0; problem < 400; ++problem) {
    const int64_t tm = 1 + static_cast<int64_t>(random() % 6),
                  m = tm * (1 + static_cast<int64_t>(random() % 9));
    const int64_t groups = 1 + static_cast<int64_t>(random() % 8);
    const Ids sizes = random_sizes(groups, m, random);
    for (int64_t shards = 1; shards <= groups; ++shards) {
      if (groups % shards != 0) continue;
      for (bool visit_empty : {false, true}) {
        Ids owners(static_cast<size_t>(m), -1);
        int64_t steps = 0;
        for (int64_t shard = 0; shard < shards; ++shard) {
          const int64_t local = groups / shards;
          const auto meta = make_group_metadata(rows_of(sizes, m, tm, shard * local, local, visit_empty));
          ASSERT_TRUE(meta.ok());
          steps += meta->num_tiles;
          int64_t last_tile = -1;
          Ids seen;
          for (const TileVisit& visit : meta->visits()) {
            EXPECT_GE(visit.group, shard * local);
            EXPECT_LT(visit.group, (shard + 1) * local);
            EXPECT_EQ(visit.rows() == 0, sizes[static_cast<size_t>(visit.group)] == 0);
            EXPECT_GE(visit.m_tile, last_tile);
            last_tile = visit.m_tile;
            for (int64_t row = visit.row_start; row < visit.row_stop; ++row) {
              EXPECT_EQ(row / tm, visit.m_tile);
              EXPECT_EQ(owners[static_cast<size_t>(row)], -1);
              owners[static_cast<size_t>(row)] = visit.group;
            }
          }
        }
        Ids expected;
        for (size_t g = 0; g < sizes.size(); ++g)
          expected.insert(expected.end(), static_cast<size_t>(sizes[g]), static_cast<int64_t>(g));
        EXPECT_EQ(owners, expected);
        EXPECT_GE(steps, m / tm);
        EXPECT_LE(steps, m / tm + groups - 1);
      }
    }
  }
}

// A histogram with float32 bin edges puts tile 4141 into a wrong bin from 4142 tiles on; counting does not.
TEST(GroupMetadata, CountsVisitsExactlyWhereFloatEdgesFail) {
  const int64_t tiles = 4142, tm = 128;
  for (int64_t cut = 1; cut < tiles; cut += 97) {
    const auto meta = make_group_metadata(rows_of({cut * tm + 1, tiles * tm - cut * tm - 1}, tiles * tm, tm));
    ASSERT_TRUE(meta.ok());
    for (int64_t tile = 0; tile < tiles; ++tile)
      ASSERT_EQ(meta->tile_visits[static_cast<size_t>(tile)], tile == cut ? 2 : 1) << cut << ' ' << tile;
  }
}

TEST(GroupMetadata, RowsAfterTheLastGroupAreRefusedUnlessAllowed) {
  GroupedRows rows = rows_of({3, 2}, 8, 4);
  const auto refused = make_group_metadata(rows);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "the group sizes sum to 5, expected m = 8");
  EXPECT_NE(refused.error().fix.find("rows 5 to 7 would never be written"), std::string::npos);
  rows.allow_short = true;
  const auto allowed = make_group_metadata(rows);
  ASSERT_TRUE(allowed.ok());
  EXPECT_EQ(allowed->group_offsets, (Ids{0, 3, 5}));
  EXPECT_EQ(allowed->num_tiles, 3);
  EXPECT_EQ(allowed->rows(), 5);
}

TEST(GroupMetadata, ErrorsSayWhatWasGotAndExpected) {
  const auto what = [](const GroupedRows& rows) {
    const auto made = make_group_metadata(rows);
    return made.ok() ? std::string("no error") : made.error().what;
  };
  EXPECT_EQ(what(rows_of({5, 5}, 10, 4)), "10 must be divisible by x-dimension tile size (4)");
  EXPECT_EQ(make_group_metadata(rows_of({5, 5}, 10, 4)).error().fix,
            "the largest tile below it that divides m is 2");
  EXPECT_EQ(what(rows_of({5, 4}, 8, 4)), "the group sizes sum to 9, expected m = 8");
  EXPECT_EQ(what(rows_of({9, -1}, 8, 4)),
            "expected 32-bit integers of 0 or more in 'group_sizes' but got -1 for group 1");
  EXPECT_EQ(what(rows_of({}, 8, 4)), "expected the size of at least one group");
  EXPECT_EQ(what(rows_of({8}, 8, 0)), "expected a tile of 1 row or more, got 0");
  EXPECT_EQ(what(rows_of({8}, 8, 4, 1)), "expected a first group from 0 to 0, got 1");
  EXPECT_EQ(what(rows_of({4, 4}, 8, 4, 1, 2)), "expected 1 to 1 groups from group 1 on, got 2");
  EXPECT_EQ(what(rows_of({8}, int64_t{1} << 31, 4)), "expected m from 1 to 2147483647, got 2147483648");
}

}  // namespace
}  // namespace shardscope::metadata_test
