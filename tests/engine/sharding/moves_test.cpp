// SPDX-License-Identifier: Apache-2.0
// Moves between shardings: by tilings as XLA plans them, by whole mesh axes as strategies write them.
#include "engine/sharding/moves.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/sharding/axis_moves.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::moves_test {
namespace {

const std::vector<int64_t> kDims{48, 48};

// Every split of two dimensions by axes of the mesh, each at most once.
std::vector<PartitionSpec> all_specs(const std::vector<std::string>& axes) {
  std::vector<PartitionSpec> out{{{{}, {}}}};
  for (size_t done = 0; done < out.size(); ++done) {
    for (const std::string& axis : axes) {
      for (size_t d = 0; d < 2; ++d) {
        PartitionSpec next = out[done];
        const bool used = std::ranges::any_of(
            next.dims, [&](const SplitAxes& of) { return std::ranges::count(of, axis) > 0; });
        next.dims[d].push_back(axis);
        if (!used && std::ranges::count(out, next) == 0) out.push_back(next);
      }
    }
  }
  return out;
}

Tiling tiling_of(const Mesh& mesh, const PartitionSpec& spec) {
  const auto sharding = NamedSharding::make(mesh, spec);
  return *Tiling::from(HloSharding::from(*sharding, 2), 2, mesh.device_count());
}

TEST(Moves, EndWhereTheyAreToEndAndNest) {
  const Mesh mesh = *Mesh::parse("a=2,b=4,c=2");
  const auto specs = all_specs({"a", "b", "c"});
  ASSERT_GT(specs.size(), 20U);
  for (const PartitionSpec& from : specs) {
    for (const PartitionSpec& to : specs) {
      Tiling at = tiling_of(mesh, from);
      const Tiling target = tiling_of(mesh, to);
      for (const Move& move : plan_moves(at, target, kDims)) {
        EXPECT_NE(move.kind, Move::Kind::through);
        EXPECT_TRUE(same_tiles(move.first, at)) << from.text() << " to " << to.text();
        const bool finer = move.kind == Move::Kind::slice, coarser = move.kind == Move::Kind::gather;
        EXPECT_TRUE(!finer || same_tiles(nested_above(at, move.next), at));
        EXPECT_TRUE(!coarser || same_tiles(nested_below(at, move.next), at));
        EXPECT_TRUE(finer || coarser || move.next.tiles() == at.tiles());
        at = move.next;
      }
      EXPECT_TRUE(same_tiles(at, target)) << from.text() << " to " << to.text();
    }
  }
}

// Who holds what after a move of the tiling; nobody's place changes.
TEST(AxisMoves, AreMovesOfTheTilingsBetween) {
  const Mesh mesh = *Mesh::parse("a=2,b=4,c=3");
  const auto specs = all_specs({"a", "b", "c"});
  for (const PartitionSpec& from : specs) {
    for (const PartitionSpec& to : specs) {
      PartitionSpec at = from;
      for (const AxisMove& move : plan_axis_moves(from, to)) {
        const PartitionSpec next = moved(at, move);
        const Tiling before = tiling_of(mesh, at), after = tiling_of(mesh, next);
        const int64_t n = mesh.axis_size(*mesh.axis_index(move.axis));
        if (move.kind == AxisMove::Kind::exchange) {
          EXPECT_TRUE(same_tiles(cut_moved(before, move.from_dim, move.dim, n), after)) << at.text();
        } else {
          const bool cut = move.kind == AxisMove::Kind::cut;
          const Move planned = next_move(before, after, kDims);
          EXPECT_EQ(planned.kind, cut ? Move::Kind::slice : Move::Kind::gather) << at.text();
          EXPECT_TRUE(same_tiles(planned.first, before) && same_tiles(planned.next, after)) << at.text();
        }
        at = next;
      }
      EXPECT_EQ(at, to);
    }
  }
}

TEST(AxisMoves, CutFirstGatherLast) {
  using Kind = AxisMove::Kind;
  EXPECT_EQ(plan_axis_moves(P("a", ""), P("a", "b")), (std::vector<AxisMove>{{Kind::cut, "b", 1, 1}}));
  EXPECT_EQ(plan_axis_moves(P("a", ""), P("", "a")), (std::vector<AxisMove>{{Kind::exchange, "a", 1, 0}}));
  EXPECT_EQ(plan_axis_moves(P("a", "b"), P("b", "a")),
            (std::vector<AxisMove>{
                {Kind::gather, "a", 0, 0}, {Kind::exchange, "b", 0, 1}, {Kind::cut, "a", 1, 1}}));
}

std::vector<std::string> kinds(const Mesh& mesh, const PartitionSpec& from, const PartitionSpec& to,
                               const std::vector<int64_t>& dims) {
  std::vector<std::string> out;
  for (const Move& move : plan_moves(tiling_of(mesh, from), tiling_of(mesh, to), dims))
    out.emplace_back(move.kind == Move::Kind::permute  ? "permute"
                     : move.kind == Move::Kind::slice  ? "slice"
                     : move.kind == Move::Kind::gather ? "gather"
                                                       : "exchange");
  return out;
}

// Held against XLA's partitioner on a 2x4 mesh.
TEST(Moves, AnAxisThatChangesItsDimensionTakesNothingElseAlong) {
  const Mesh mesh = *Mesh::parse("x=2,y=4");
  using Kinds = std::vector<std::string>;
  const auto moves = [&](const PartitionSpec& from, const PartitionSpec& to) {
    return kinds(mesh, from, to, kDims);
  };
  EXPECT_EQ(moves({{{}, {"y"}}}, {{{"y"}, {"x"}}}), (Kinds{"exchange", "slice"}));
  EXPECT_EQ(moves({{{}, {"x", "y"}}}, {{{"y"}, {}}}), (Kinds{"gather", "slice"}));
  EXPECT_EQ(moves({{{"x"}, {"y"}}}, {{{"y"}, {}}}), (Kinds{"gather", "exchange"}));
}

// 111 rows over 2 are tiles of 56, over 4 of 28: halves of those, padding included.
TEST(Moves, TilesOfUnevenRowsBecomeCoarserOnesAtOnce) {
  const Mesh mesh = *Mesh::parse("x=2,y=2,z=2");
  EXPECT_EQ(kinds(mesh, {{{"z"}, {}}}, {{{"y", "x"}, {}}}, {111, 4}),
            (std::vector<std::string>{"slice", "permute"}));
  EXPECT_EQ(kinds(mesh, {{{"y", "x"}, {}}}, {{{"y"}, {}}}, {111, 4}), (std::vector<std::string>{"gather"}));
  // 9 rows over 2 are tiles of 5, over 4 of 3: no halves, so rows move on before.
  EXPECT_EQ(kinds(mesh, {{{"y", "x"}, {}}}, {{{"y"}, {}}}, {9, 4}), (std::vector<std::string>{"gather"}));
}

}  // namespace
}  // namespace shardscope::moves_test
