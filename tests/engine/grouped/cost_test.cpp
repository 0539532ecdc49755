// SPDX-License-Identifier: Apache-2.0
// Bytes of the schedule against a walk over the whole grid that fetches a block when its index changes.
#include "engine/grouped/cost.h"

#include <array>
#include <gtest/gtest.h>

#include "engine/base/units.h"
#include "tests/engine/grouped/samples.h"

namespace shardscope::cost_test {
namespace {

// Counts the elements of one operand's blocks as a pipelined grid moves them.
struct BlockWalk {
  std::array<int64_t, 3> at{-1, -1, -1};
  int64_t elements = 0;
  void step(std::array<int64_t, 3> block, int64_t size) {
    if (block == at) return;
    at = block;
    elements += size;
  }
};

int64_t part(int64_t whole, int64_t tile, int64_t index) {
  return std::min(tile, whole - index * tile);
}

struct Walked {
  int64_t lhs = 0, rhs = 0, out = 0;
};

Walked walk_gmm(const GroupedShape& s, const GroupMetadata& meta) {
  BlockWalk lhs, rhs, out;
  for (int64_t n = 0; n < ceil_div(s.n, s.tiling.tn); ++n) {
    for (const TileVisit& visit : meta.visits()) {
      for (int64_t k = 0; k < ceil_div(s.k, s.tiling.tk); ++k) {
        const int64_t tk = part(s.k, s.tiling.tk, k), tn = part(s.n, s.tiling.tn, n);
        lhs.step({visit.m_tile, k, 0}, s.tiling.tm * tk);
        rhs.step({visit.group, k, n}, tk * tn);
        out.step({visit.m_tile, n, 0}, s.tiling.tm * tn);
      }
    }
  }
  return {lhs.elements, rhs.elements, out.elements};
}

Walked walk_tgmm(const GroupedShape& s, const GroupMetadata& meta) {
  BlockWalk lhs, rhs, out;
  for (int64_t n = 0; n < ceil_div(s.n, s.tiling.tn); ++n) {
    for (int64_t k = 0; k < ceil_div(s.k, s.tiling.tk); ++k) {
      for (const TileVisit& visit : meta.visits()) {
        const int64_t tk = part(s.k, s.tiling.tk, k), tn = part(s.n, s.tiling.tn, n);
        lhs.step({visit.m_tile, k, 0}, s.tiling.tm * tk);
        rhs.step({visit.m_tile, n, 0}, s.tiling.tm * tn);
        out.step({visit.group, k, n}, tk * tn);
      }
    }
  }
  return {lhs.elements, rhs.elements, out.elements};
}

TEST(GroupedCost, ExactBytesAreThoseOfTheGrid) {
  std::mt19937 random(11);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int problem = 0; problem < 500; ++problem) {
    GroupedShape s;
    s.tiling = {pick(1, 4), pick(1, 6), pick(1, 6)};
    s.m = s.tiling.tm * pick(1, 5);
    s.k = pick(1, 9);
    s.n = pick(1, 9);
    s.lhs = random() % 2 == 0 ? ElementType::f32 : ElementType::bf16;
    s.out = ElementType::bf16;
    s.existing_out = random() % 2 == 0;
    GroupedRows rows;
    rows.group_sizes = random_sizes(4, s.m, random);
    rows.m = s.m;
    rows.tm = s.tiling.tm;
    rows.group_offset = pick(0, 3);
    rows.visit_empty = random() % 2 == 0;
    const auto meta = make_group_metadata(rows);
    ASSERT_TRUE(meta.ok());
    const GroupedCost forward = gmm_cost(s, *meta), back = tgmm_cost(s, *meta);
    const Walked walked = walk_gmm(s, *meta), walked_back = walk_tgmm(s, *meta);
    EXPECT_EQ(forward.lhs_bytes, byte_size(s.lhs, walked.lhs)) << problem;
    EXPECT_EQ(forward.rhs_bytes, byte_size(s.rhs, walked.rhs)) << problem;
    EXPECT_EQ(forward.out_bytes, byte_size(s.out, walked.out)) << problem;
    EXPECT_EQ(forward.existing_bytes, s.existing_out ? forward.out_bytes : 0) << problem;
    EXPECT_EQ(back.lhs_bytes, byte_size(s.lhs, walked_back.lhs)) << problem;
    EXPECT_EQ(back.rhs_bytes, byte_size(s.rhs, walked_back.rhs)) << problem;
    EXPECT_EQ(back.out_bytes, byte_size(s.out, walked_back.out)) << problem;
    EXPECT_EQ(back.bytes_exact, back.lhs_bytes + back.rhs_bytes + back.existing_bytes + back.out_bytes);
  }
}

// m = 16, k = n = 8, groups 3, 6, 7 in tiles 4,8,8: four tiles, six visits.
TEST(GroupedCost, TheEstimateCountsTheMostStepsThatAnySizesNeed) {
  GroupedShape s;
  s.m = 16;
  s.k = s.n = 8;
  s.tiling = {4, 8, 8};
  GroupedRows rows;
  rows.group_sizes = {3, 6, 7};
  rows.m = 16;
  rows.tm = 4;
  const auto meta = make_group_metadata(rows);
  const GroupedCost cost = gmm_cost(s, *meta);
  EXPECT_EQ(cost.flops, 2 * 16 * 8 * 8);
  EXPECT_EQ(cost.flops_exact, cost.flops);
  EXPECT_EQ(cost.flops_issued, 2 * 24 * 8 * 8);
  EXPECT_EQ(cost.bytes_estimate, 4 * (16 * 8 + 8 * 8 * (4 + 3 - 1) + 16 * 8));
  EXPECT_EQ(cost.bytes_exact, 4 * (16 * 8 + 3 * 8 * 8 + 16 * 8));
  EXPECT_EQ(tgmm_cost(s, *meta).bytes_estimate, 4 * (16 * 8 + 16 * 8 + 3 * 8 * 8));
}

// Seven of eight groups are empty: tgmm visits them to write zeros and multiplies nothing there; gmm, asked
// to visit them, multiplies its tile for nothing.
TEST(GroupedCost, VisitsThatAreSkippedAreNotMultiplied) {
  GroupedShape s;
  s.m = 8;
  s.k = s.n = 4;
  s.tiling = {8, 4, 4};
  GroupedRows rows;
  rows.group_sizes = {8, 0, 0, 0, 0, 0, 0, 0};
  rows.m = rows.tm = 8;
  rows.visit_empty = true;
  const auto visited = make_group_metadata(rows);
  EXPECT_EQ(gmm_cost(s, *visited).flops_issued, 8 * 256);
  EXPECT_EQ(visited->wasted_rows(), 7 * 8);
  rows.skip_empty = true;
  const auto skipped = make_group_metadata(rows);
  EXPECT_EQ(skipped->num_tiles, 8);
  EXPECT_EQ(tgmm_cost(s, *skipped).flops_issued, 256);
  EXPECT_EQ(skipped->wasted_rows(), 0);
  EXPECT_EQ(skipped->wasted_rows(skipped->visit(3)), 0);
  EXPECT_EQ(skipped->efficiency(), 1);
  EXPECT_EQ(skipped->visits(), visited->visits());
}

}  // namespace
}  // namespace shardscope::cost_test
