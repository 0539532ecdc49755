// SPDX-License-Identifier: Apache-2.0
// Products of arrays split in any way, and the one strategy that is wrong on purpose.
#include <gtest/gtest.h>
#include <random>

#include "engine/numerics/check/numerics.h"
#include "engine/strategies/strategy.h"

namespace shardscope::auto_test {
namespace {

NumericsReport compared(std::string_view id, const std::string& mesh, const MatmulProblem& problem,
                        const StrategyOptions& options) {
  const Workers workers(2);
  const auto program = (*find_strategy(id))->plan(*Mesh::parse(mesh), problem, options);
  EXPECT_TRUE(program.ok()) << program.error().text();
  const auto data = make_problem_data({problem, Fill::integers, 11, {}, {}, true}, workers, {});
  NumericsOptions trap;
  trap.trap_slices = true;
  const auto outcome = run_numerics(*program, **data, trap, workers, {});
  EXPECT_TRUE(outcome.ok()) << outcome.error().text();
  return outcome->report;
}

// Each axis splits one of two dimensions or neither, in any order.
PartitionSpec random_spec(std::vector<std::string> axes, std::mt19937& random) {
  std::shuffle(axes.begin(), axes.end(), random);
  PartitionSpec spec{{{}, {}}};
  for (std::string& axis : axes) {
    const auto dim = std::uniform_int_distribution<size_t>(0, 2)(random);
    if (dim < 2) spec.dims[dim].push_back(std::move(axis));
  }
  return spec;
}

TEST(AutoNumerics, RandomShardingsGiveTheReferenceBitForBit) {
  struct Case {
    const char* mesh;
    std::vector<std::string> axes;
  };
  std::mt19937 random(5);
  int ran = 0;
  for (const Case& c : {Case{"x=6", {"x"}}, Case{"a=2,b=3", {"a", "b"}}, Case{"a=4,b=2", {"a", "b"}},
                        Case{"p=2,q=3,r=2", {"p", "q", "r"}}}) {
    for (int i = 0; i < 25; ++i) {
      StrategyOptions options;
      options.in_lhs = random_spec(c.axes, random);
      options.in_rhs = random_spec(c.axes, random);
      options.out = random_spec(c.axes, random);
      const ElementType type = i % 3 == 0   ? ElementType::bf16
                               : i % 3 == 1 ? ElementType::f32
                                            : ElementType::s32;
      // Not the first of its plans alone: a chip may choose any.
      const MatmulProblem problem{24, 48, 72, type, default_accumulate(type)};
      const auto plans =
          (*find_strategy("auto"))->alternatives(*Mesh::parse(c.mesh), problem, options, 1000)->size();
      options.alternative = static_cast<size_t>(i) * 7 % plans;
      const auto report = compared("auto", c.mesh, problem, options);
      EXPECT_TRUE(report.allclose) << c.mesh << ": " << options.in_lhs->text() << " · "
                                   << options.in_rhs->text() << " -> " << options.out->text();
      EXPECT_EQ(report.rtol, 0);
      ++ran;
    }
  }
  EXPECT_EQ(ran, 100);
}

TEST(BrokenStrategy, TheFusedKernelIsRightUpTo2x2AndTheCheckCatchesItBeyond) {
  EXPECT_EQ((*find_strategy("pallas.fused_as_written"))->kind, StrategyKind::broken);
  const auto report = [](const char* mesh) {
    return compared("pallas.fused_as_written", mesh, {24, 48, 36}, {});
  };
  EXPECT_TRUE(report("x=1,y=1").allclose);
  EXPECT_TRUE(report("x=2,y=2").allclose);
  EXPECT_FALSE(report("x=3,y=3").allclose);
  EXPECT_FALSE(report("x=4,y=4").allclose);
}

// The partial sums of bf16 stay f32 to the end: on data that rounds, the result has more digits than bf16.
TEST(WideResult, IsF32AndKeepsDigitsThatBf16Rounds) {
  const Workers workers(2);
  const MatmulProblem problem{32, 256, 32, ElementType::bf16, ElementType::bf16};
  const auto data = make_problem_data({problem, Fill::normal, 3, {}, {}, true}, workers, {});
  ASSERT_TRUE(data.ok());
  const auto run = [&](std::string_view id) {
    const auto program = (*find_strategy(id))->plan(*Mesh::parse("x=2,y=2"), problem, {});
    EXPECT_TRUE(program.ok());
    auto outcome = run_numerics(*program, **data, {}, workers, {});
    EXPECT_TRUE(outcome.ok());
    return outcome->result;
  };
  EXPECT_EQ(run("pallas.ag_slice_psum").type(), ElementType::bf16);
  const Array wide = run("pallas.ag_slice_psum_f32");
  EXPECT_EQ(wide.type(), ElementType::f32);
  double rounded = 0;
  for (int64_t i = 0; i < wide.element_count(); ++i) {
    rounded += wide.at(i) != static_cast<double>((*data)->reference.at(i)) ? 1 : 0;
  }
  EXPECT_GT(rounded, 0.9 * static_cast<double>(wide.element_count()));
}

}  // namespace
}  // namespace shardscope::auto_test
