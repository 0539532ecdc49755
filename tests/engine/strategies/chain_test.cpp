// SPDX-License-Identifier: Apache-2.0
// Chains send what their products send, and nothing else but the resharding between them.
#include <numeric>

#include "tests/engine/strategies/planned.h"

namespace shardscope::chain_test {
namespace {

struct Sizes {
  double R, C, M, K, N;
  double p() const { return R * C; }
};

// Elements that a device sends over each axis, and its flops.
struct Sent {
  double row = 0, col = 0, flops = 0;
};

Sent plus(const Sent& a, const Sent& b) {
  return {a.row + b.row, a.col + b.col, a.flops + b.flops};
}

// X[M,K] W[K,N]: OS gathers X over col and W over row; LS gathers W over row and scatters Y over col; RS
// gathers X over col and scatters Y over row.
Sent os(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.K * s.N / s.p()};
}
Sent ls(const Sizes& s) {
  return {(s.R - 1) * s.K * s.N / s.p(), (s.C - 1) * s.M * s.N / s.p(), 2 * s.M * s.K * s.N / s.p()};
}
Sent rs(const Sizes& s) {
  return {(s.R - 1) * s.M * s.N / s.p(), (s.C - 1) * s.M * s.K / s.p(), 2 * s.M * s.K * s.N / s.p()};
}

// Y = X W, dX = Y Wt, dW = Xt Y: in sum 3(R-1)KN/p over row and 3(C-1)MK/p over col; Y stays.
Sent training(const Sizes& s) {
  const Sent sum = plus(os(s), plus(ls({s.R, s.C, s.M, s.N, s.K}), rs({s.R, s.C, s.K, s.M, s.N})));
  EXPECT_DOUBLE_EQ(sum.row, 3 * (s.R - 1) * s.K * s.N / s.p());
  EXPECT_DOUBLE_EQ(sum.col, 3 * (s.C - 1) * s.M * s.K / s.p());
  EXPECT_DOUBLE_EQ(sum.flops, 6 * s.M * s.K * s.N / s.p());
  return sum;
}

Sent transformer(const Sizes& s) {
  const Sizes qkv{s.R, s.C, s.M, s.K, 3 * s.K}, out{s.R, s.C, s.M, s.K, s.K}, up = s,
                                                                              down{s.R, s.C, s.M, s.N, s.K};
  return plus(plus(os(qkv), ls(out)), plus(os(up), ls(down)));
}

// H[M,N] P(row,col) to P(col,row): rows gathered over col, columns exchanged over row.
Sent resharding(const Sizes& s) {
  return {(s.R - 1) / s.R * s.M * s.N / s.R, (s.C - 1) * s.M * s.N / s.p(), 0};
}
// The second layer's axes are swapped: what OS sends over row it sends over col.
Sent swapped_layers(const Sizes& s) {
  const Sent second = os({s.C, s.R, s.M, s.N, s.K});
  return plus(plus(os(s), resharding(s)), {second.col, second.row, second.flops});
}

// One all-reduce of Y[M,K], or a gather of X and a scatter of Y: the same 2(n-1)/n·MK.
Sent mlp(const Sizes& s) {
  return {2 * (s.R - 1) / s.R * s.M * s.K, 0, 4 * s.M * s.K * s.N / s.R};
}

class Chains : public ::testing::TestWithParam<testing::MeshSize> {};

TEST_P(Chains, SendTheSumOfTheirProducts) {
  const auto [R, C] = GetParam();
  const int64_t L = std::lcm(R, C);
  const MatmulProblem p{4 * L, 8 * L, 12 * L};
  const Sizes s{static_cast<double>(R), static_cast<double>(C), static_cast<double>(p.m),
                static_cast<double>(p.k), static_cast<double>(p.n)};
  std::map<std::string, Sent> expected = {
      {"chain.collective", training(s)}, {"chain.wang", training(s)},
      {"chain.meshslice", training(s)},  {"megatron.mlp", mlp(s)},
      {"megatron.sequence", mlp(s)},     {"transformer.block", transformer(s)}};
  if (R != C) expected["chain.reshard"] = swapped_layers(s);
  for (const auto& [id, sent] : expected) {
    const auto program = testing::plan(id, testing::row_col(GetParam()), p);
    ASSERT_TRUE(program.ok()) << id << ": " << program.error().text();
    auto by_axis = testing::sent_by_axis(*program);
    EXPECT_DOUBLE_EQ(by_axis["row"], sent.row) << id;
    EXPECT_DOUBLE_EQ(by_axis["col"], sent.col) << id;
    EXPECT_DOUBLE_EQ(testing::flops_per_device(*program), sent.flops) << id;
    EXPECT_EQ(testing::count(*program, Opcode::transpose), 0) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, Chains, ::testing::ValuesIn(testing::kMeshes), [](const auto& mesh) {
  return std::to_string(mesh.param.rows) + "x" + std::to_string(mesh.param.cols);
});

TEST(ChainReshard, IsOnePermuteOnASquareMesh) {
  const auto program = testing::plan("chain.reshard", testing::mesh_of("row=3,col=3"), {12, 24, 36});
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(testing::count(*program, Opcode::collective_permute), 1);
  for (const Instruction& i : program->entry_computation().instructions) {
    if (i.opcode != Opcode::collective_permute) continue;
    EXPECT_EQ(i.provenance->op_name, "reshard H: P(row,col) → P(col,row)");
    EXPECT_EQ(i.permutation->source_of(DeviceId(1)), DeviceId(3));
  }
}

TEST(ChainReshard, NamesTheCollectivesBetweenTheLayersByTheUsersAxes) {
  const auto program = testing::plan("chain.reshard", testing::mesh_of("x=2,y=3"), {12, 24, 36});
  ASSERT_TRUE(program.ok()) << program.error().text();
  int64_t resharding = 0;
  for (const Instruction& i : program->entry_computation().instructions)
    resharding += is_collective(i.opcode) && i.provenance->op_name == "reshard H: P(x,y) → P(y,x)" ? 1 : 0;
  EXPECT_EQ(resharding, 2);
}

TEST(ChainSteps, OfOneProductFollowThoseOfTheOneBefore) {
  const auto program = testing::plan("chain.wang", testing::mesh_of("row=2,col=4"), {16, 32, 64});
  ASSERT_TRUE(program.ok()) << program.error().text();
  int last = -1;
  for (const Instruction& i : program->entry_computation().instructions) {
    if (i.provenance->step < 0) continue;
    EXPECT_TRUE(i.provenance->step == last || i.provenance->step == last + 1) << i.name;
    last = i.provenance->step;
  }
  EXPECT_GE(last, 4 + 4 + 2 - 1);
}

TEST(ChainRefusals, NameTheProductsOwnSizes) {
  EXPECT_EQ(testing::refusal("chain.collective", "row=3,col=2", 12, 8, 8),
            "chain.collective: k must be divisible by rows, got k=8, rows=3");
  EXPECT_EQ(testing::refusal("chain.wang", "row=1,col=2", 4, 6, 8), "chain.wang: k/cols must be even, got 3");
  StrategyOptions options;
  options.slices = 5;
  EXPECT_EQ(testing::refusal("chain.meshslice", "row=2,col=2", 8, 8, 8, options),
            "chain.meshslice: slices*block must divide k/cols and k/rows, got slices=5, block=1, k/cols=4, "
            "k/rows=4");
  EXPECT_EQ(testing::refusal("chain.reshard", "row=2,col=3", 8, 12, 12),
            "chain.reshard: m must be divisible by cols, got m=8, cols=3");
  EXPECT_EQ(testing::refusal("megatron.mlp", "t=3", 8, 8, 8),
            "megatron.mlp: n must be divisible by t, got n=8, t=3");
  EXPECT_EQ(testing::refusal("megatron.sequence", "t=3", 8, 8, 9),
            "megatron.sequence: m must be divisible by t, got m=8, t=3");
  EXPECT_EQ(testing::refusal("transformer.block", "row=3,col=2", 12, 8, 8),
            "transformer.block: k must be divisible by rows, got k=8, rows=3");
}

}  // namespace
}  // namespace shardscope::chain_test
