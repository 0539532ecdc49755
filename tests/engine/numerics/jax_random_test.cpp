// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/data/jax_random.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/numerics/check/numerics.h"
#include "engine/numerics/functions/random_bits.h"

namespace shardscope::jax_random_test {
namespace {

constexpr MatmulProblem kNotebook{2048, 2048, 1024, ElementType::bf16, ElementType::bf16};

// Random123's known answer for the digits of pi.
TEST(JaxRandom, ThreefryGivesItsKnownAnswer) {
  EXPECT_EQ(threefry2x32({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}),
            (std::array<uint32_t, 2>{0xc4923a9c, 0x483df7a0}));
}

// What jax.random.split(jax.random.key(0)) prints.
TEST(JaxRandom, SplitsTheKeyAsJaxDoes) {
  EXPECT_EQ(jax_split(jax_key(0), 0), (JaxKey{1797259609, 2579123966}));
  EXPECT_EQ(jax_split(jax_key(0), 1), (JaxKey{928981903, 3453687069}));
}

TEST(JaxRandom, TheNotebooksArraysAreThereBitForBit) {
  const Workers workers(2);
  const auto data = *make_problem_data({kNotebook, Fill::jax, 0, {}, {}, false}, workers, {});
  const double lhs[] = {1.15625,   -0.35546875, 1.4296875, 0.80859375,
                        1.2421875, -1.2578125,  1.0859375, 0.5625};
  const double rhs[] = {-0.2734375, -0.482421875, 0.78125,     -0.71875,
                        -2.328125,  0.92578125,   0.162109375, -1.1796875};
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(data->lhs.at(i), lhs[i]) << i;
    EXPECT_EQ(data->rhs.at(i), rhs[i]) << i;
  }
  std::set<double> values;
  for (int64_t i = 0; i < data->lhs.element_count(); ++i) values.insert(data->lhs.at(i));
  EXPECT_EQ(values.size(), 128u);
  EXPECT_EQ(*values.begin(), -2.890625);
  EXPECT_EQ(*values.rbegin(), 2.515625);
}

// What jax.random.normal(jax.random.key(0), (4,)) prints.
TEST(JaxRandom, SinglePrecisionNormalsAreJaxs) {
  const float expected[] = {1.6226422F, 2.0252647F, -0.43359444F, -0.07861735F};
  for (uint64_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(jax_normal_f32(jax_key(0), i), expected[i]);
}

TEST(JaxRandom, HalfPrecisionNormalsHaveMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0;
  constexpr int kCount = 100000;
  for (uint64_t i = 0; i < kCount; ++i) {
    const double value = jax_normal_f16(jax_key(7), i);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(JaxRandom, FillDependsOnSeedAndNotOnThreads) {
  const Workers one(1), two(2);
  const MatmulProblem p{300, 257, 64, ElementType::f32, ElementType::f32};
  const auto a = *make_problem_data({p, Fill::jax, 3, {}, {}, false}, one, {});
  const auto b = *make_problem_data({p, Fill::jax, 3, {}, {}, false}, two, {});
  const auto c = *make_problem_data({p, Fill::jax, 4, {}, {}, false}, two, {});
  EXPECT_EQ(a->lhs, b->lhs);
  EXPECT_EQ(a->rhs, b->rhs);
  EXPECT_FALSE(a->lhs == c->lhs);
}

TEST(JaxRandom, IntegersAndDoublesAreRefused) {
  const Workers workers(1);
  const auto data = make_problem_data(
      {{2, 2, 2, ElementType::s32, ElementType::s32}, Fill::jax, 0, {}, {}, false}, workers, {});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().what, "fill jax makes bf16, f16 and f32, got s32");
}

}  // namespace
}  // namespace shardscope::jax_random_test
