// SPDX-License-Identifier: Apache-2.0
// `auto` finds the plan that sends the fewest bytes, whatever the shardings, and says what the others cost.
#include "engine/base/units.h"
#include "tests/engine/strategies/planned.h"

namespace shardscope::auto_test {
namespace {

using testing::count;

StrategyOptions specs(PartitionSpec lhs, PartitionSpec rhs, PartitionSpec out) {
  StrategyOptions options;
  options.in_lhs = std::move(lhs);
  options.in_rhs = std::move(rhs);
  options.out = std::move(out);
  return options;
}

Program planned(const StrategyOptions& options, const MatmulProblem& problem, const char* mesh = "a=4,b=2") {
  auto program = testing::plan("auto", testing::mesh_of(mesh), problem, options);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

double sent(const Program& program) {
  double total = 0;
  for (const auto& [axis, elements] : testing::sent_by_axis(program)) total += elements;
  return total;
}

std::string choice(const Program& program, std::string_view name) {
  for (const auto& [key, value] : program.choices) {
    if (key == name) return value;
  }
  return "";
}

// X[4,16], W[16,4] on a=4, b=2, as in the cases of the pjit notebook; elements sent per device.
const MatmulProblem kCase{4, 16, 4};

TEST(AutoMatmul, InnerAxesAreXlasPlan) {
  const Program program = planned(specs(P("", "a"), P("a", ""), P("", "")), kCase);
  EXPECT_EQ(sent(program), 24);  // all-reduce over a: 2 · 3/4 · 16
  EXPECT_EQ(choice(program, "plan"), "add Y up over a: 96 B");
  EXPECT_EQ(choice(program, "case"), "3: both sides split the contraction by a");
}

TEST(AutoMatmul, MismatchedAxesGatherOneSideOnly) {
  const Program program = planned(specs(P("", "a"), P("b", ""), P("", "")), kCase);
  EXPECT_EQ(sent(program), 32 + 24);  // XLA's two gathers: 80
  EXPECT_EQ(choice(program, "plan"), "gather W over b, own part of W on a, add Y up over a: 224 B");
  EXPECT_EQ(choice(program, "case"), "2 on both sides: X splits the contraction by a, W by b");
  EXPECT_EQ(testing::flops_per_device(program), 128);
}

TEST(AutoMatmul, OuterAxesGatherOneSideOnly) {
  const Program program = planned(specs(P("b", "a"), P("b", ""), P("b", "")), kCase);
  EXPECT_EQ(sent(program), 32 + 12);  // XLA's two gathers: 56
  EXPECT_EQ(testing::flops_per_device(program), 64);
}

TEST(AutoMatmul, FullMovesTheColumnsOfWAndScattersTheSums) {
  const Program program = planned(specs(P("b", "a"), P("b", "a"), P("b", "a")), kCase);
  EXPECT_EQ(sent(program), 8 + 12 + 6);  // XLA's two gathers: 32
  EXPECT_EQ(count(program, Opcode::all_to_all), 1);
  EXPECT_EQ(count(program, Opcode::reduce_scatter), 1);
}

TEST(AutoMatmul, AlternativesAreListedWithTheirBytes) {
  const Program program = planned(specs(P("", "a"), P("b", ""), P("", "")), kCase);
  std::vector<std::string> alternatives;
  for (const auto& [key, value] : program.choices) {
    if (key == "alternative") alternatives.push_back(value);
  }
  ASSERT_GE(alternatives.size(), 3u);
  const auto listed = [&](const char* text) { return std::ranges::count(alternatives, text) == 1; };
  EXPECT_TRUE(listed("gather X over a, gather W over b: 320 B"));
  EXPECT_TRUE(listed("gather X over a, own part of X on b, add Y up over b: 256 B"));
}

TEST(AutoMatmul, TheUsualSplitIsTheOutputStationaryProduct) {
  const Program program = planned({}, {64, 128, 192}, "row=2,col=4");
  EXPECT_EQ(choice(program, "specs"), "P('row','col') · P('row','col') -> P('row','col')");
  EXPECT_EQ(sent(program), (3 * 64 * 128 + 128 * 192) / 8);
  EXPECT_EQ(testing::flops_per_device(program), 2.0 * 64 * 128 * 192 / 8);
}

TEST(AutoMatmul, OneAxisIsTheShardedBatchAndSharedWeights) {
  const Program program = planned({}, {64, 16, 24}, "x=4");
  EXPECT_EQ(choice(program, "plan"), "gather W over x: 1.1 KiB");
  EXPECT_EQ(sent(program), 3 * 16 * 24 / 4);
}

TEST(AutoMatmul, AnOutputSplitByTheContractionsAxisIsScattered) {
  const Program program = planned(specs(P("", "a"), P("a", ""), P("a", "")), {16, 32, 64});
  EXPECT_EQ(choice(program, "plan"), "scatter Y over a: 3.0 KiB");
}

// One all-reduce after the other would send 2·(3/4 + 1/2) of Y; scattered first it is 2·7/8.
TEST(AutoMatmul, SumsOverTwoAxesAreScatteredAndGathered) {
  const PartitionSpec k_of_x{{{}, {"a", "b"}}}, k_of_w{{{"a", "b"}, {}}};
  const Program program = planned(specs(k_of_x, k_of_w, P("", "")), {16, 1024, 16});
  EXPECT_EQ(sent(program), 2 * 16 * 16 * 7 / 8);
}

TEST(AutoMatmul, PartialSumsInF32CountFourBytes) {
  // All-reduce in f32: 96 B; scattered in f32, rounded and gathered in f16: 48 + 24 B.
  const Program program =
      planned(specs(P("", "a"), P("a", ""), P("", "")), {4, 16, 4, ElementType::f16, ElementType::f32});
  EXPECT_EQ(choice(program, "plan"), "scatter Y over a, gather Y over a: 72 B");
}

// The cost of the plan is what its program sends, and never more than XLA's plan for the same specs.
TEST(AutoMatmul, EveryPairOfSpecsIsNoDearerThanXlasPlan) {
  const MatmulProblem problem{16, 32, 64};
  const std::vector<PartitionSpec> all = {
      P("", ""),   P("a", ""),         P("", "a"),         P("b", ""),         P("", "b"),        P("a", "b"),
      P("b", "a"), {{{"a", "b"}, {}}}, {{{"b", "a"}, {}}}, {{{}, {"a", "b"}}}, {{{}, {"b", "a"}}}};
  int better = 0;
  for (const PartitionSpec& lhs : all) {
    for (const PartitionSpec& rhs : all) {
      for (const PartitionSpec& out : all) {
        const StrategyOptions options = specs(lhs, rhs, out);
        const Program program = planned(options, problem);
        const auto xla = testing::plan("pjit.inner", testing::mesh_of("a=4,b=2"), problem, options);
        ASSERT_TRUE(xla.ok());
        EXPECT_EQ(program.output->spec, out);
        EXPECT_LE(sent(program), sent(*xla)) << choice(program, "specs");
        better += sent(program) < sent(*xla) ? 1 : 0;
        EXPECT_TRUE(choice(program, "plan").ends_with(": " + format_bytes(4 * sent(program))))
            << choice(program, "plan") << " sends " << 4 * sent(program);
      }
    }
  }
  EXPECT_GT(better, 100);
}

TEST(AutoMatmul, RefusesWhatCannotBe) {
  const auto refuse = [](const StrategyOptions& options) {
    return testing::refusal("auto", "a=4,b=2", 16, 32, 6, options);
  };
  EXPECT_EQ(refuse(specs(P("", ""), P("", "a"), P("", ""))), "auto: n must be divisible by a, got n=6, a=4");
  EXPECT_EQ(refuse(specs(P("", ""), P("", ""), P("", "a"))), "auto: n must be divisible by a, got n=6, a=4");
  EXPECT_EQ(refuse(specs(P("", ""), P("", ""), P("z", ""))),
            "auto: out-spec needs axes of the mesh, got 'z'");
  EXPECT_EQ(refuse(specs(P("q", ""), P("", ""), P("", ""))), "auto: needs a mesh axis for q, got a=4,b=2");
  EXPECT_EQ(refuse(specs(P("", ""), P("", ""), P("a", "a"))),
            "auto: out-spec needs each axis once, got P('a','a')");
  EXPECT_NE(refuse(specs(P("a", "a"), P("", ""), P("", ""))).find("'a'"), std::string::npos);
  EXPECT_NE(refuse(specs(P("", "", "a"), P("", ""), P("", ""))), "planned");
}

}  // namespace
}  // namespace shardscope::auto_test
