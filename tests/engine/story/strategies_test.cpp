// SPDX-License-Identifier: Apache-2.0
// Following the shards through each program: every device ends with exactly its part of the result, and every
// element of it has summed the whole contraction, each term once.
#include <numeric>

#include "engine/sharding/named_sharding.h"
#include "tests/engine/story/held_pieces.h"
#include "tests/engine/strategies/planned.h"

namespace shardscope::strategies_test {
namespace {

int64_t volume(const IndexBox& box) {
  int64_t elements = 1;
  for (const IndexRange& range : box) elements *= range.size();
  return elements;
}

bool inside(const IndexBox& inner, const IndexBox& outer) {
  for (size_t i = 0; i < outer.size(); ++i) {
    if (inner[i].start < outer[i].start || inner[i].stop > outer[i].stop) return false;
  }
  return inner.size() == outer.size();
}

void expect_whole_result(const Program& program) {
  const auto holdings = story_test::HeldPieces::of(program);
  ASSERT_TRUE(holdings.ok()) << program.name << ": " << holdings.error().text();
  EXPECT_FALSE(holdings->added_twice()) << program.name;
  const ArrayInfo& output = *program.output;
  const auto sharding = NamedSharding::make(program.mesh, output.spec);
  ASSERT_TRUE(sharding.ok());
  for (int64_t d = 0; d < program.mesh.device_count(); ++d) {
    const IndexBox own = sharding->slices(DeviceId(d), output.dims);
    int64_t held = 0;
    for (const story_test::HeldPiece& piece : holdings->at(program.entry_computation().root, DeviceId(d))) {
      EXPECT_EQ(piece.array, output.role) << program.name;
      EXPECT_TRUE(inside(piece.box, own)) << program.name << " device " << d;
      EXPECT_EQ(piece.k_covered, piece.k_whole) << program.name << " device " << d;
      held += volume(piece.box);
    }
    EXPECT_EQ(held, volume(own)) << program.name << " device " << d;
  }
}

class Holding : public ::testing::TestWithParam<testing::MeshSize> {};

TEST_P(Holding, EveryDeviceEndsWithItsWholePart) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  for (const Strategy& strategy : strategies()) {
    if (strategy.kind == StrategyKind::example) continue;  // a Gram matrix is no product of X and W
    if (strategy.kind == StrategyKind::broken || !testing::fits(strategy, GetParam())) continue;
    const auto program = strategy.plan(testing::row_col(GetParam()), {4 * L, 8 * L, 12 * L}, {});
    if (!program.ok() || strategy.kind == StrategyKind::broken) continue;
    expect_whole_result(*program);
  }
}

TEST(HoldingOfReplans, EveryDeviceEndsWithItsWholePart) {
  const std::vector<PartitionSpec> all = {P("", ""),   P("a", ""),         P("", "a"),
                                          P("b", "a"), {{{"a", "b"}, {}}}, {{{}, {"b", "a"}}}};
  for (const PartitionSpec& lhs : all) {
    for (const PartitionSpec& rhs : all) {
      for (const PartitionSpec& out : all) {
        StrategyOptions options;
        options.in_lhs = lhs;
        options.in_rhs = rhs;
        options.out = out;
        const auto program = testing::plan("pjit.inner", testing::mesh_of("a=3,b=2"), {6, 12, 18}, options);
        ASSERT_TRUE(program.ok()) << program.error().text();
        SCOPED_TRACE(lhs.text() + " · " + rhs.text() + " -> " + out.text());
        expect_whole_result(*program);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, Holding, ::testing::ValuesIn(testing::kMeshes), [](const auto& mesh) {
  return std::to_string(mesh.param.rows) + "x" + std::to_string(mesh.param.cols);
});

}  // namespace
}  // namespace shardscope::strategies_test
