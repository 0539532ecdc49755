// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/error_growth.h"

#include <cmath>
#include <gtest/gtest.h>

namespace shardscope::error_growth_test {
namespace {

const ErrorGrowth& growth() {
  static const ErrorGrowth made =
      *measure_error_growth({16, 64, 256, 1024, 4096, 16384}, 0, Workers(2), std::stop_token());
  return made;
}

const GrowthCurve& curve(const std::string& id) {
  for (const GrowthCurve& c : growth().curves) {
    if (c.id == id) return c;
  }
  ADD_FAILURE() << id;
  return growth().curves.front();
}

// Another draw of N(0,1) data, measured with numpy and ml_dtypes: RMS error over √k at k = 16, 64, …, 16384.
struct Measured {
  const char* id;
  std::vector<double> errors;
};
const Measured kMeasured[] = {
    {"f32_sequential", {2.164e-8, 5.197e-8, 1.051e-7, 2.505e-7, 6.211e-7, 1.573e-6}},
    {"f32_then_bf16_out", {1.727e-3, 1.652e-3, 1.641e-3, 1.673e-3, 1.662e-3, 1.672e-3}},
    {"bf16_acc_every_term", {4.977e-3, 9.338e-3, 1.873e-2, 3.693e-2, 7.089e-2, 1.394e-1}},
    {"f16_acc_every_term", {6.150e-4, 1.198e-3, 2.345e-3, 4.852e-3, 9.421e-3, 1.884e-2}},
    {"bf16_acc_every_128", {2.010e-3, 3.460e-3, 7.101e-3, 1.335e-2}},
    {"psum_bf16_ring_P2", {2.523e-3, 2.403e-3, 2.444e-3, 2.426e-3, 2.425e-3, 2.467e-3}},
    {"psum_bf16_ring_P4", {3.202e-3, 3.154e-3, 3.098e-3, 3.051e-3, 3.119e-3, 3.236e-3}},
    {"psum_bf16_ring_P8", {4.217e-3, 3.962e-3, 4.067e-3, 4.084e-3, 4.039e-3, 4.119e-3}},
    {"psum_bf16_ring_P16", {5.453e-3, 5.199e-3, 5.291e-3, 5.355e-3, 5.170e-3, 5.417e-3}},
    {"psum_bf16_tree_P4", {3.042e-3, 3.025e-3, 3.004e-3, 2.993e-3, 3.028e-3, 3.030e-3}},
    {"psum_bf16_tree_P8", {3.509e-3, 3.530e-3, 3.569e-3, 3.500e-3, 3.592e-3, 3.543e-3}},
    {"psum_bf16_tree_P16", {3.941e-3, 3.914e-3, 3.934e-3, 3.890e-3, 3.983e-3, 4.008e-3}},
    {"bf16_partials_f32_sum_P2", {2.523e-3, 2.403e-3, 2.444e-3, 2.426e-3, 2.425e-3, 2.467e-3}},
    {"bf16_partials_f32_sum_P16", {2.393e-3, 2.340e-3, 2.309e-3, 2.396e-3, 2.321e-3, 2.352e-3}},
    {"psum_f32_P8_bf16_out", {1.727e-3, 1.652e-3, 1.641e-3, 1.673e-3, 1.662e-3, 1.672e-3}},
};

TEST(ErrorGrowth, AgreesWithAnotherDrawWithinFifteenPercent) {
  for (const Measured& m : kMeasured) {
    const GrowthCurve& c = curve(m.id);
    ASSERT_EQ(c.points.size(), m.errors.size()) << m.id;
    for (size_t i = 0; i < m.errors.size(); ++i) {
      EXPECT_NEAR(c.points[i].error, m.errors[i], 0.15 * m.errors[i]) << m.id << " k=" << c.points[i].k;
    }
  }
}

// The laws are leading terms; f32's is a bound, since products of bf16 values are exact in it.
TEST(ErrorGrowth, FollowsItsLaws) {
  for (const GrowthCurve& c : growth().curves) {
    for (const GrowthPoint& p : c.points) {
      if (c.id == "f32_sequential") {
        EXPECT_LT(p.error, p.law) << p.k;
      } else {
        EXPECT_NEAR(p.error, p.law, 0.3 * p.law) << c.id << " k=" << p.k;
      }
    }
  }
}

TEST(ErrorGrowth, RoundingErrorIsTheUsualUnit) {
  EXPECT_NEAR(rounding_error(8), 1.66e-3, 0.01e-3);
  EXPECT_NEAR(rounding_error(11), 2.1e-4, 0.05e-4);
}

TEST(ErrorGrowth, IsTheSameOnAnyNumberOfThreadsAndAnotherOnAnotherSeed) {
  const auto a = *measure_error_growth({64, 256}, 1, Workers(1), {});
  EXPECT_EQ(a, *measure_error_growth({64, 256}, 1, Workers(2), {}));
  EXPECT_NE(a.curves, measure_error_growth({64, 256}, 2, Workers(2), {})->curves);
}

TEST(ErrorGrowth, LengthsAreARangeOrAList) {
  EXPECT_EQ(*parse_growth_lengths("16..128"), (std::vector<int64_t>{16, 32, 64, 128}));
  EXPECT_EQ(*parse_growth_lengths("48, 256"), (std::vector<int64_t>{48, 256}));
  for (const char* bad : {"", "8..64", "64..16", "17", "x", "16..", "16..99999999999"}) {
    EXPECT_FALSE(parse_growth_lengths(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace shardscope::error_growth_test
