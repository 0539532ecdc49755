// SPDX-License-Identifier: Apache-2.0
// On every mesh, what a strategy sends per device and axis is its closed form, and the work is shared evenly.
#include <numeric>

#include "tests/engine/strategies/closed_forms.h"
#include "tests/engine/strategies/planned.h"

namespace shardscope::volume_test {
namespace {

using testing::MeshSize;

// The closed forms of all strategies.
const testing::ClosedForms& closed_forms() {
  static const testing::ClosedForms all = [] {
    testing::ClosedForms merged;
    for (const auto forms : {testing::two_collective_forms, testing::one_axis_forms, testing::pallas_forms}) {
      merged.merge(forms());
    }
    return merged;
  }();
  return all;
}

class EveryMesh : public ::testing::TestWithParam<MeshSize> {};

TEST_P(EveryMesh, SendsAndMultipliesExactlyItsClosedForm) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  StrategyOptions options;
  options.slices = 2;
  options.block = 2;
  for (const Strategy& strategy : strategies()) {
    if (!testing::fits(strategy, GetParam())) continue;
    const std::string id(strategy.id);
    if (!closed_forms().contains(id)) continue;  // has a volume test of its own
    const testing::Sizes s{R, C, 4 * L, 8 * L, strategy.kind == StrategyKind::example ? 4 * L : 12 * L};
    const auto program = strategy.plan(testing::row_col(GetParam()), {s.M, s.K, s.N}, options);
    ASSERT_TRUE(program.ok()) << program.error().text();
    const testing::Volume expected = closed_forms().at(id)(s);
    auto sent = testing::sent_by_axis(*program);
    EXPECT_EQ(sent["row"], expected.row) << id;
    EXPECT_EQ(sent["col"], expected.col) << id;
    EXPECT_EQ(sent["row,col"], expected.both) << id;
    EXPECT_EQ(testing::flops_per_device(*program), static_cast<double>(expected.flops)) << id;
  }
}

TEST_P(EveryMesh, ProgramsVerifyAndTheirTextReadsBackEqual) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  for (const Strategy& strategy : strategies()) {
    if (!testing::fits(strategy, GetParam())) continue;
    const int64_t n = strategy.kind == StrategyKind::example ? 4 * L : 12 * L;
    const auto program = strategy.plan(testing::row_col(GetParam()), {4 * L, 8 * L, n}, {});
    if (!program.ok()) continue;
    EXPECT_TRUE(verify(*program).ok()) << strategy.id;
    ASSERT_TRUE(program->output.has_value());
    if (program->output->role == ArrayRole::product && program->definitions.empty()) {
      EXPECT_EQ(program->output->dims, (std::vector<int64_t>{4 * L, n})) << strategy.id;
    }
    const auto again = parse_program(print_program(*program));
    ASSERT_TRUE(again.ok()) << strategy.id << ": " << again.error().text();
    EXPECT_EQ(*again, *program) << strategy.id;
  }
}

TEST_P(EveryMesh, NarrowTypesAddUpInTheAccumulationType) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  for (const auto& [type, accumulate] :
       {std::pair{ElementType::bf16, ElementType::f32}, std::pair{ElementType::bf16, ElementType::bf16},
        std::pair{ElementType::f16, ElementType::f32}}) {
    for (const Strategy& strategy : strategies()) {
      if (!testing::fits(strategy, GetParam())) continue;
      if (strategy.id == "pallas.ag_slice_psum_f32") continue;  // f32 throughout
      const int64_t n = strategy.kind == StrategyKind::example ? 4 * L : 12 * L;
      const auto program =
          strategy.plan(testing::row_col(GetParam()), {4 * L, 8 * L, n, type, accumulate, SumType::f32}, {});
      if (!program.ok()) continue;
      for (const Instruction& i : program->entry_computation().instructions) {
        const bool sums =
            i.opcode == Opcode::dot || i.opcode == Opcode::all_reduce || i.opcode == Opcode::reduce_scatter;
        if (sums) {
          EXPECT_EQ(i.shape.type, accumulate) << strategy.id << " " << i.name;
        }
      }
      const Shape& root = program->entry_computation().root_instruction().shape;
      EXPECT_EQ(root.is_tuple ? root.elements[0].type : root.type, type) << strategy.id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, EveryMesh, ::testing::ValuesIn(testing::kMeshes), [](const auto& mesh) {
  return std::to_string(mesh.param.rows) + "x" + std::to_string(mesh.param.cols);
});

}  // namespace
}  // namespace shardscope::volume_test
