// SPDX-License-Identifier: Apache-2.0
// A request that breaks what a strategy needs is refused before anything runs, and the text names the number.
#include "tests/engine/strategies/planned.h"

namespace shardscope::refusal_test {
namespace {

using testing::refusal;

TEST(Refusals, CollectiveNamesTheDimensionAndTheAxis) {
  EXPECT_EQ(refusal("collective.os", "row=4,col=2", 10, 8, 8),
            "collective.os: m must be divisible by rows, got m=10, rows=4");
  EXPECT_EQ(refusal("collective.os", "row=2,col=4", 8, 6, 8),
            "collective.os: k must be divisible by cols, got k=6, cols=4");
  EXPECT_EQ(refusal("collective.os", "row=4,col=2", 8, 6, 8),
            "collective.os: k must be divisible by rows, got k=6, rows=4");
  EXPECT_EQ(refusal("collective.os", "row=2,col=4", 8, 8, 6),
            "collective.os: n must be divisible by cols, got n=6, cols=4");
  EXPECT_EQ(refusal("collective.ls", "row=4,col=2", 8, 8, 6),
            "collective.ls: n must be divisible by rows, got n=6, rows=4");
  EXPECT_EQ(refusal("collective.ls", "row=2,col=4", 8, 8, 6),
            "collective.ls: n must be divisible by cols, got n=6, cols=4");
  EXPECT_EQ(refusal("collective.rs", "row=4,col=2", 6, 8, 8),
            "collective.rs: m must be divisible by rows, got m=6, rows=4");
  EXPECT_EQ(refusal("collective.rs", "row=2,col=4", 6, 8, 8),
            "collective.rs: m must be divisible by cols, got m=6, cols=4");
}

TEST(Refusals, NameTheUsersOwnAxes) {
  EXPECT_EQ(refusal("collective.os", "x=4,y=2", 10, 8, 8),
            "collective.os: m must be divisible by x, got m=10, x=4");
  EXPECT_EQ(refusal("wang.os", "x=2,y=4", 8, 12, 8), "wang.os: k/y must be even, got 3");
}

TEST(Refusals, WangNeedsHalves) {
  EXPECT_EQ(refusal("wang.os", "row=2,col=4", 8, 12, 8), "wang.os: k/cols must be even, got 3");
  EXPECT_EQ(refusal("wang.ls", "row=2,col=4", 8, 8, 12), "wang.ls: n/cols must be even, got 3");
  EXPECT_EQ(refusal("wang.rs.osplit", "row=4,col=2", 12, 8, 8), "wang.rs.osplit: m/rows must be even, got 3");
  EXPECT_EQ(refusal("wang.rs.isplit", "row=2,col=4", 12, 8, 8), "wang.rs.isplit: m/cols must be even, got 3");
  EXPECT_EQ(refusal("wang.rs", "row=2,col=4", 12, 64, 8), "wang.rs: m/cols must be even, got 3");
  EXPECT_EQ(refusal("wang.os", "row=1,col=1", 4, 3, 4), "wang.os: k/cols must be even, got 3");
}

TEST(Refusals, MeshsliceNeedsSlicesThatFit) {
  StrategyOptions options;
  options.slices = 8;
  options.block = 2;
  EXPECT_EQ(refusal("meshslice.os", "row=2,col=4", 8, 48, 8, options),
            "meshslice.os: slices*block must divide k/cols and k/rows, got slices=8, block=2, k/cols=12, "
            "k/rows=24");
  EXPECT_EQ(refusal("meshslice.ls", "row=2,col=4", 8, 48, 48, options),
            "meshslice.ls: slices*block must divide n/rows and n/cols, got slices=8, block=2, n/rows=24, "
            "n/cols=12");
  EXPECT_EQ(refusal("meshslice.rs", "row=2,col=4", 48, 48, 48, options),
            "meshslice.rs: slices*block must divide m/cols and m/rows, got slices=8, block=2, m/cols=12, "
            "m/rows=24");
  options.slices = 0;
  EXPECT_EQ(refusal("meshslice.os", "row=2,col=4", 8, 48, 8, options),
            "meshslice.os: slices must be positive, got 0");
  options.slices = int64_t{1} << 62;
  options.block = int64_t{1} << 62;
  EXPECT_NE(refusal("meshslice.os", "row=2,col=4", 8, 48, 8, options), "planned");
}

TEST(Refusals, OfTheOtherStrategies) {
  EXPECT_EQ(refusal("psum", "row=2,col=4", 8, 6, 8), "psum: k must be divisible by cols, got k=6, cols=4");
  EXPECT_EQ(refusal("gather.lhs", "row=4,col=2", 6, 8, 8),
            "gather.lhs: m must be divisible by rows, got m=6, rows=4");
  EXPECT_EQ(refusal("gather.rhs", "row=4,col=2", 8, 6, 8),
            "gather.rhs: k must be divisible by rows, got k=6, rows=4");
  EXPECT_EQ(refusal("blockwise.gram", "i=4", 4, 8, 5), "blockwise.gram: n must equal m, got m=4, n=5");
  EXPECT_EQ(refusal("blockwise.gram", "i=4", 4, 6, 4),
            "blockwise.gram: k must be divisible by i, got k=6, i=4");
  EXPECT_EQ(refusal("pjit.outer", "a=4,b=2", 4, 6, 4), "pjit.outer: k must be divisible by a, got k=6, a=4");
}

TEST(Refusals, OfWhatNoStrategyTakes) {
  for (const Strategy& s : strategies()) {
    EXPECT_FALSE(s.plan(testing::mesh_of("row=2,col=2,depth=2"), {0, 8, 8}, {}).ok()) << s.id;
    EXPECT_FALSE(s.plan(testing::mesh_of("row=2,col=2,depth=2"), {8, -8, 8}, {}).ok()) << s.id;
    EXPECT_FALSE(
        s.plan(testing::mesh_of("row=2,col=2,depth=2"), {int64_t{1} << 40, int64_t{1} << 40, 8}, {}).ok())
        << s.id;
    const auto narrow =
        s.plan(testing::mesh_of("row=2,col=2,depth=2"), {8, 8, 8, ElementType::f16, ElementType::bf16}, {});
    ASSERT_FALSE(narrow.ok());
    EXPECT_EQ(narrow.error().text(),
              std::string(s.id) + ": needs accumulate=f32 for dtype=f16, got accumulate=bf16");
  }
}

// Whatever the sizes, the result is the whole product or a refusal: never a truncated array.
TEST(Refusals, EverySmallProblemIsPlannedWholeOrRefused) {
  int planned = 0, refused = 0;
  for (const char* mesh : {"row=2,col=3", "row=1,col=2", "row=4,col=2"}) {
    for (int64_t m = 1; m <= 12; ++m) {
      for (int64_t k = 1; k <= 12; ++k) {
        for (const int64_t n : {int64_t{1}, int64_t{6}, int64_t{8}, m}) {
          for (const Strategy& s : strategies()) {
            const auto program = s.plan(testing::mesh_of(mesh), {m, k, n}, {});
            ++(program.ok() ? planned : refused);
            if (!program.ok()) {
              EXPECT_EQ(program.error().what.rfind(std::string(s.id) + ": ", 0), 0u)
                  << program.error().text();
            } else if (s.kind == StrategyKind::matmul) {
              EXPECT_EQ(program->output->dims, (std::vector<int64_t>{m, n})) << s.id;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(planned, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace shardscope::refusal_test
