// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/exact_comparison.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/strategies/strategy.h"

namespace shardscope::exact_comparison_test {
namespace {

// The Pallas notebook's product: jnp.matmul of bf16 on a 2x2 mesh, both operands from jax.random.key(0).
MatmulProblem notebook(ElementType accumulate) {
  return {2048, 2048, 1024, ElementType::bf16, accumulate, SumType::f32};
}

const Workers& workers() {
  static const Workers all(2);
  return all;
}

const ProblemData& data(ElementType accumulate) {
  static const auto bf16 =
      *make_problem_data({notebook(ElementType::bf16), Fill::jax, 0, {}, {}, true}, workers(), {});
  static const auto f32 =
      *make_problem_data({notebook(ElementType::f32), Fill::jax, 0, {}, {}, true}, workers(), {});
  return accumulate == ElementType::bf16 ? *bf16 : *f32;
}

Program plan(const std::string& strategy, ElementType accumulate) {
  const Mesh mesh = *Mesh::parse("x=2,y=2");
  return *(*find_strategy(strategy))->plan(mesh, notebook(accumulate), {});
}

NumericsOutcome run(const std::string& strategy, ElementType accumulate,
                    const NumericsOptions& options = {}) {
  return *run_numerics(plan(strategy, accumulate), data(accumulate), options, workers(), {});
}

// What XLA makes of jnp.matmul: partial sums and all-reduce in bf16.
std::shared_ptr<const ReferenceRun> jnp_matmul() {
  static const auto made =
      std::make_shared<const ReferenceRun>(ReferenceRun{"pallas.permute_psum",
                                                        plan("pallas.permute_psum", ElementType::bf16),
                                                        run("pallas.permute_psum", ElementType::bf16).result,
                                                        {}});
  return made;
}

NumericsOptions notebook_check() {
  NumericsOptions options;
  options.rtol = options.atol = 1e-2;
  options.reference = jnp_matmul();
  return options;
}

// The notebook prints the first and last three rows and columns.
constexpr double kPrinted[6][6] = {
    {-71, -42.5, -7.875, 22.5, 85, 40},      {8.875, -40, 21, -27.75, 74.5, -51.5},
    {-36.75, -18.625, 90, -70, -34, 5.625},  {-1.75, -9.625, 20.75, 47.25, -47.5, 1.90625},
    {-7.21875, 30.375, -26, 11, -95, -66.5}, {-11, -24.375, 48, -72.5, -17.625, 18.875}};

int printed_values_in(const Array& y) {
  int equal = 0;
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t j = 0; j < 6; ++j) {
      const int64_t row = i < 3 ? i : 2048 - 6 + i, column = j < 3 ? j : 1024 - 6 + j;
      equal += y.at(row * 1024 + column) == kPrinted[i][j];
    }
  }
  return equal;
}

TEST(Notebook, Bf16PartialsGiveAllThirtySixPrintedValues) {
  EXPECT_EQ(printed_values_in(jnp_matmul()->result), 36);
}

TEST(Notebook, OneRoundingGivesTwentyThreeOfThem) {
  EXPECT_EQ(printed_values_in(data(ElementType::f32).reference), 23);
  EXPECT_EQ(printed_values_in(run("pallas.ag_ag", ElementType::bf16).result), 23);
}

// jnp.allclose(xla_matmul_3(…), jnp.matmul(…), rtol=1e-2, atol=1e-2) is False.
TEST(Notebook, F32PartialsAreNotCloseToTheReferenceWhichIsTheInaccurateSide) {
  const NumericsReport report = run("pallas.ag_slice_psum_f32", ElementType::bf16, notebook_check()).report;
  EXPECT_FALSE(report.allclose);
  EXPECT_EQ(report.reference, "pallas.permute_psum");
  // 97519 in the notebook's data; f32 sums in another order move elements on the border.
  EXPECT_NEAR(report.percent_bad / 100 * 2048 * 1024, 97519, 5);
  EXPECT_NEAR(report.max_abs, 0.9635, 1e-4);
  EXPECT_NEAR(report.smallest_atol, 0.46271, 1e-5);
  ASSERT_TRUE(report.exact);
  EXPECT_NEAR(report.exact->reference.rel_frobenius, 2.4504e-3, 1e-7);
  EXPECT_LT(report.exact->result.rel_frobenius, 2e-7);  // f32, whatever the order of its sums
  EXPECT_EQ(report.exact->index, (std::vector<int64_t>{538, 246}));
  EXPECT_EQ(report.exact->reference_value, -0.5);
  EXPECT_EQ(
      report.exact->explanation.find("The reference is the less accurate side: against the f64 product its "
                                     "relative error is 0.00245, that of the result "),
      0U)
      << report.exact->explanation;
  EXPECT_NE(
      report.exact->explanation.find(
          "At [538,246] it gives -0.5 where f64 gives -0.03229: its 2 bf16 partial sums, 65.24 and -65.28, "
          "are off by up to 0.25 each and cancel."),
      std::string::npos)
      << report.exact->explanation;
}

TEST(Notebook, OneRoundingAgainstBf16PartialsExplainsWhichSideIsOff) {
  const NumericsReport report = run_numerics(plan("pallas.permute_psum", ElementType::f32),
                                             data(ElementType::f32), notebook_check(), workers(), {})
                                    ->report;
  EXPECT_FALSE(report.allclose);
  EXPECT_NEAR(report.percent_bad, 4.80, 0.03);  // 4.80 where the bound itself is rounded to bf16
  EXPECT_EQ(report.max_abs, 1);
  EXPECT_EQ(report.reference, "pallas.permute_psum");
  ASSERT_TRUE(report.exact);
  EXPECT_NEAR(report.exact->reference.rel_frobenius, 2.4504e-3, 1e-7);
  EXPECT_NEAR(report.exact->result.rel_frobenius, 1.6550e-3, 1e-7);
  ASSERT_EQ(report.exact->partials.size(), 2u);
  const std::string& why = report.exact->explanation;
  EXPECT_EQ(why.find("The reference is the less accurate side: against the f64 product its relative error is "
                     "0.00245, that of the result 0.00165. At ["),
            0u)
      << why;
  EXPECT_NE(why.find("its 2 bf16 partial sums"), std::string::npos) << why;
  EXPECT_NE(why.find("and cancel."), std::string::npos) << why;
}

TEST(Notebook, AgainstF64TheSameProgramPasses) {
  NumericsOptions options;
  options.rtol = options.atol = 1e-2;
  const NumericsReport report = run("pallas.permute_psum", ElementType::f32, options).report;
  EXPECT_TRUE(report.allclose);
  EXPECT_EQ(report.reference, "f64");
  EXPECT_NE(report.exact->explanation.find("as near to the f64 product as one rounding to bf16 allows"),
            std::string::npos)
      << report.exact->explanation;
}

TEST(ExactComparison, TheSameProgramTwiceIsEqual) {
  const NumericsReport report = run("pallas.permute_psum", ElementType::bf16, notebook_check()).report;
  EXPECT_TRUE(report.allclose);
  EXPECT_EQ(report.smallest_atol, 0);
  EXPECT_TRUE(report.exact->index.empty());
  EXPECT_EQ(report.exact->result, report.exact->reference);
  EXPECT_EQ(
      report.exact->explanation,
      "The result and the reference are equal; against the f64 product both are off by 0.00245, relatively.");
}

TEST(ExactComparison, IntegersAreExactOnBothSides) {
  const MatmulProblem p{64, 128, 32, ElementType::bf16, ElementType::f32};
  const auto integers = *make_problem_data({p, Fill::integers, 0, {}, {}, true}, workers(), {});
  EXPECT_EQ(integers->product.element_count(), 0);
  const Program program = *(*find_strategy("pallas.permute_psum"))->plan(*Mesh::parse("x=2,y=2"), p, {});
  const NumericsReport report = run_numerics(program, *integers, {}, workers(), {})->report;
  EXPECT_TRUE(report.allclose);
  EXPECT_EQ(report.exact->explanation, "The result equals the f64 product.");
}

TEST(ExactComparison, AWrongResultIsTheLessAccurateSide) {
  const MatmulProblem p{4, 8, 4, ElementType::f32, ElementType::f32};
  const auto made = *make_problem_data({p, Fill::normal, 0, {}, {}, true}, workers(), {});
  Array wrong = Array::allocate(ElementType::f32, {4, 4});
  for (size_t i = 0; i < 16; ++i) wrong.mutable_as<float>()[i] = made->reference.as<float>()[i];
  wrong.mutable_as<float>()[6] += 3;
  const ExactComparison c = compare_exact(*made, {"the result", wrong, {}},
                                          {"the reference", made->reference, {}}, false, 0, workers());
  EXPECT_EQ(c.index, (std::vector<int64_t>{1, 2}));
  EXPECT_NEAR(c.result.max_abs, 3, 1e-6);
  EXPECT_EQ(c.explanation.find("The result is the less accurate side"), 0u) << c.explanation;
}

TEST(ExactComparison, NanIsAnInfiniteErrorOfNoSize) {
  const MatmulProblem p{2, 2, 2, ElementType::f32, ElementType::f32};
  const auto made = *make_problem_data({p, Fill::normal, 0, {}, {}, true}, workers(), {});
  Array wrong = Array::allocate(ElementType::f32, {2, 2});
  for (size_t i = 0; i < 4; ++i) wrong.mutable_as<float>()[i] = i == 2 ? NAN : made->reference.as<float>()[i];
  const ExactComparison c = compare_exact(*made, {"the result", wrong, {}},
                                          {"the reference", made->reference, {}}, true, 0, workers());
  EXPECT_TRUE(std::isnan(c.result.max_abs));
  EXPECT_EQ(c.index, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(compare(wrong, made->reference, {0, 0}, workers()).smallest_atol, HUGE_VAL);
}

TEST(ExactComparison, AnOverflowIsSaidToBeOne) {
  const MatmulProblem p{2, 2, 2, ElementType::f16, ElementType::f32};
  Array big = Array::allocate(ElementType::f16, {2, 2});
  for (uint16_t& e : big.mutable_as<uint16_t>()) e = f16_from_f32(300);
  const auto made = *make_problem_data({p, Fill::normal, 0, big, big, true}, workers(), {});
  const ExactComparison c = compare_exact(*made, {"the result", made->reference, {}},
                                          {"the reference", made->reference, {}}, true, 0, workers());
  EXPECT_EQ(c.explanation, "The result holds numbers that are not finite: f16's largest number is 65504.");
  Array wrong = Array::allocate(ElementType::f16, {2, 2});
  for (uint16_t& e : wrong.mutable_as<uint16_t>()) e = f16_from_f32(HUGE_VALF);
  const MatmulProblem small{2, 2, 2, ElementType::f16, ElementType::f32};
  const auto fits = *make_problem_data({small, Fill::ramp, 0, {}, {}, true}, workers(), {});
  const ExactComparison d = compare_exact(*fits, {"the result", wrong, {}},
                                          {"the reference", fits->reference, {}}, true, 0, workers());
  EXPECT_EQ(
      d.explanation,
      "The result holds numbers that are not finite, as at [0,0], where f64 gives 2: f16's largest number is "
      "65504.");
}

TEST(ExactComparison, PartialSumsAreThoseOfTheProgram) {
  EXPECT_EQ(partial_sums(plan("pallas.permute_psum", ElementType::bf16), notebook(ElementType::bf16)),
            (PartialSums{2, ElementType::bf16}));
  EXPECT_EQ(partial_sums(plan("collective.os", ElementType::f32), notebook(ElementType::f32)),
            (PartialSums{1, ElementType::f32}));
}

}  // namespace
}  // namespace shardscope::exact_comparison_test
