// SPDX-License-Identifier: Apache-2.0
// On every mesh, what a strategy sends per device and axis is its closed form, and the work is shared evenly.
#include <numeric>

#include "tests/engine/strategies/planned.h"

namespace shardscope {
namespace {

using testing::MeshSize;

struct Volume {
  int64_t row = 0, col = 0;  // elements that a device sends over each axis
  int64_t flops = 0;         // per device
};

struct Sizes {
  int64_t R, C, M, K, N;
  int64_t p() const { return R * C; }
};

Volume output_stationary(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume left_stationary(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), (s.C - 1) * s.M * s.N / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume right_stationary(const Sizes& s) {
  return {(s.R - 1) * s.M * s.N / s.p(), (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume psum(const Sizes& s) {
  return {0, 2 * (s.C - 1) * s.M * s.N / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume gather_lhs(const Sizes& s) {
  return {0, (s.C - 1) * s.M * s.K / s.p(), 0};
}
Volume gather_rhs(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), 0, 0};
}
// The pjit plans call the first axis a and the second b.
Volume pjit_inner(const Sizes& s) {
  return {2 * (s.R - 1) * s.M * s.N / s.R, 0, 2 * s.M * s.N * s.K / s.R};
}
Volume pjit_mismatch(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.R, (s.C - 1) * s.K * s.N / s.C, 2 * s.M * s.N * s.K};
}
Volume pjit_outer(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.p(), (s.C - 1) * s.K * s.N / s.C, 2 * s.M * s.N * s.K / s.C};
}
Volume pjit_full(const Sizes& s) {
  return {(s.R - 1) * s.M * s.K / s.p(), (s.C - 1) * s.K * s.N / s.p(), 2 * s.M * s.N * s.K / s.p()};
}
Volume gram(const Sizes& s) {
  return {0, 0, 2 * s.M * s.M * s.K / s.R};
}

using ClosedForm = Volume (*)(const Sizes&);
const std::map<std::string, ClosedForm> kClosedForms = {{"collective.os", output_stationary},
                                                        {"collective.ls", left_stationary},
                                                        {"collective.rs", right_stationary},
                                                        {"wang.os", output_stationary},
                                                        {"wang.ls", left_stationary},
                                                        {"wang.rs", right_stationary},
                                                        {"wang.rs.osplit", right_stationary},
                                                        {"wang.rs.isplit", right_stationary},
                                                        {"meshslice.os", output_stationary},
                                                        {"meshslice.ls", left_stationary},
                                                        {"meshslice.rs", right_stationary},
                                                        {"psum", psum},
                                                        {"gather.lhs", gather_lhs},
                                                        {"gather.rhs", gather_rhs},
                                                        {"pjit.inner", pjit_inner},
                                                        {"pjit.mismatch", pjit_mismatch},
                                                        {"pjit.outer", pjit_outer},
                                                        {"pjit.full", pjit_full},
                                                        {"blockwise.gram", gram}};

class EveryMesh : public ::testing::TestWithParam<MeshSize> {};

TEST_P(EveryMesh, SendsAndMultipliesExactlyItsClosedForm) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  StrategyOptions options;
  options.slices = 2;
  options.block = 2;
  for (const Strategy& strategy : strategies()) {
    const std::string id(strategy.id);
    ASSERT_TRUE(kClosedForms.contains(id)) << id;
    const Sizes s{R, C, 4 * L, 8 * L, strategy.kind == StrategyKind::example ? 4 * L : 12 * L};
    const auto program = strategy.plan(testing::row_col(GetParam()), {s.M, s.K, s.N}, options);
    ASSERT_TRUE(program.ok()) << program.error().text();
    const Volume expected = kClosedForms.at(id)(s);
    auto sent = testing::sent_by_axis(*program);
    EXPECT_EQ(sent["row"], expected.row) << id;
    EXPECT_EQ(sent["col"], expected.col) << id;
    EXPECT_EQ(testing::flops_per_device(*program), static_cast<double>(expected.flops)) << id;
  }
}

TEST_P(EveryMesh, ProgramsVerifyAndTheirTextReadsBackEqual) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  for (const Strategy& strategy : strategies()) {
    const int64_t n = strategy.kind == StrategyKind::example ? 4 * L : 12 * L;
    const auto program = strategy.plan(testing::row_col(GetParam()), {4 * L, 8 * L, n}, {});
    ASSERT_TRUE(program.ok()) << program.error().text();
    EXPECT_TRUE(verify(*program).ok()) << strategy.id;
    ASSERT_TRUE(program->output.has_value());
    if (program->output->role == ArrayRole::product) {
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
      const int64_t n = strategy.kind == StrategyKind::example ? 4 * L : 12 * L;
      const auto program =
          strategy.plan(testing::row_col(GetParam()), {4 * L, 8 * L, n, type, accumulate}, {});
      ASSERT_TRUE(program.ok()) << program.error().text();
      for (const Instruction& i : program->entry_computation().instructions) {
        const bool sums =
            i.opcode == Opcode::dot || i.opcode == Opcode::all_reduce || i.opcode == Opcode::reduce_scatter;
        if (sums) {
          EXPECT_EQ(i.shape.type, accumulate) << strategy.id << " " << i.name;
        }
      }
      EXPECT_EQ(program->entry_computation().root_instruction().shape.type, type) << strategy.id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, EveryMesh, ::testing::ValuesIn(testing::kMeshes), [](const auto& mesh) {
  return std::to_string(mesh.param.rows) + "x" + std::to_string(mesh.param.cols);
});

}  // namespace
}  // namespace shardscope
