// SPDX-License-Identifier: Apache-2.0
// Tokens travel to the devices of their experts and back, as many as the program's own definition says.
#include "engine/program/ir/definition.h"
#include "tests/engine/strategies/planned.h"

namespace shardscope::expert_parallel_test {
namespace {

using Counts = std::vector<std::vector<int64_t>>;  // tokens of device i for expert e

Program planned(const std::string& mesh, const MatmulProblem& p, std::optional<int64_t> experts = {}) {
  StrategyOptions options;
  options.experts = experts;
  auto program = testing::plan("moe.expert_parallel", testing::mesh_of(mesh), p, options);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

Counts counts_of(const Program& program, int64_t devices, int64_t experts) {
  const Definition d = *parse_definition(program.definitions.at(0));
  const int64_t tokens = program.output->dims[0] / devices;
  Counts counts(static_cast<size_t>(devices), std::vector<int64_t>(static_cast<size_t>(experts)));
  int64_t at = 0;
  for (const GroupRun& run : d.runs) {
    counts[static_cast<size_t>(at / tokens)][static_cast<size_t>(run.group)] += run.rows;
    at += run.rows;
    EXPECT_LE((at - 1) / tokens, devices - 1);
  }
  EXPECT_EQ(at, devices * tokens);
  return counts;
}

std::vector<const Instruction*> exchanges(const Program& program) {
  std::vector<const Instruction*> found;
  for (const Instruction& i : program.entry_computation().instructions)
    if (i.opcode == Opcode::ragged_all_to_all) found.push_back(&i);
  return found;
}

std::string chosen(const Program& program, const std::string& name) {
  for (const auto& [key, value] : program.choices)
    if (key == name) return value;
  return "none";
}

class ExpertParallel : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {};  // devices, experts

// Σ over j != i of S[i][j] rows of k elements there, and of S[j][i] rows of n elements back.
TEST_P(ExpertParallel, SendsTheRowsOfForeignExpertsThereAndBack) {
  const auto [devices, experts] = GetParam();
  const MatmulProblem p{96 * devices, 40, 24};
  const Program program = planned("row=" + std::to_string(devices), p, experts);
  const Counts counts = counts_of(program, devices, experts);
  const auto n = static_cast<size_t>(devices), own = static_cast<size_t>(experts / devices);
  std::vector<int64_t> S(n * n), turned(n * n), received(n);
  double leaving = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t e = 0; e < counts[i].size(); ++e) {
      S[i * n + e / own] += counts[i][e];
      turned[e / own * n + i] += counts[i][e];
      received[e / own] += counts[i][e];
      if (e / own != i) leaving += static_cast<double>(counts[i][e]);
    }
  }
  const auto both = exchanges(program);
  ASSERT_EQ(both.size(), devices > 1 ? 2U : 0U);
  if (devices > 1) {
    const auto group = device_groups(program, *both[0]).at(0);
    EXPECT_EQ(*ragged_sizes(program, *both[0], group), S);
    EXPECT_EQ(*ragged_sizes(program, *both[1], group), turned);
    EXPECT_DOUBLE_EQ(testing::sent_by_axis(program)["row"],
                     leaving * static_cast<double>(p.k + p.n) / static_cast<double>(devices));
  }
  // Arrays are as long as the fullest device needs them.
  const auto most = static_cast<double>(*std::ranges::max_element(received));
  EXPECT_DOUBLE_EQ(testing::flops_per_device(program), 2 * most * static_cast<double>(p.k * p.n));
  EXPECT_EQ(chosen(program, "experts"), std::to_string(experts));
  const double imbalance = most / 96;
  EXPECT_NEAR(std::stod(chosen(program, "imbalance")), imbalance, 0.0051);
  EXPECT_GE(imbalance, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ExpertParallel,
    ::testing::Values(std::pair<int64_t, int64_t>{1, 4}, std::pair<int64_t, int64_t>{2, 2},
                      std::pair<int64_t, int64_t>{3, 12}, std::pair<int64_t, int64_t>{4, 8},
                      std::pair<int64_t, int64_t>{8, 16}),
    [](const auto& sizes) {
      return std::to_string(sizes.param.first) + "_" + std::to_string(sizes.param.second);
    });

TEST(ExpertParallelChoices, TwoExpertsForEachDeviceAndTheFullestIsNamed) {
  const Program program = planned("a=4", {4096, 64, 32});
  EXPECT_EQ(chosen(program, "experts"), "8");
  EXPECT_NE(chosen(program, "imbalance").find(" tokens, the mean is 1024)"), std::string::npos);
  EXPECT_NE(chosen(program, "imbalance").find("(a="), std::string::npos);
}

TEST(ExpertParallelGroups, OfAnotherAxisExchangeTheSame) {
  const Program program = planned("row=2,col=3", {64, 16, 8});
  for (const Instruction* exchange : exchanges(program)) {
    const auto groups = device_groups(program, *exchange);
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(*ragged_sizes(program, *exchange, groups[0]), *ragged_sizes(program, *exchange, groups[2]));
  }
}

TEST(ExpertParallelRefusals, NameTokensAndExperts) {
  StrategyOptions options;
  options.experts = 6;
  EXPECT_EQ(testing::refusal("moe.expert_parallel", "t=4", 64, 8, 8, options),
            "moe.expert_parallel: experts must be divisible by t, got experts=6, t=4");
  EXPECT_EQ(testing::refusal("moe.expert_parallel", "t=4", 62, 8, 8),
            "moe.expert_parallel: m must be divisible by t, got m=62, t=4");
  options.experts = 1 << 18;
  EXPECT_EQ(testing::refusal("moe.expert_parallel", "t=4", 64, 8, 8, options),
            "moe.expert_parallel: needs at most 262144 pairs of a device and an expert, got 4*262144");
}

}  // namespace
}  // namespace shardscope::expert_parallel_test
