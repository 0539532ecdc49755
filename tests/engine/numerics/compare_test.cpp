// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <gtest/gtest.h>

#include "engine/numerics/check/numerics.h"

namespace shardscope::compare_test {
namespace {

Array f64(std::vector<int64_t> dims, const std::vector<double>& values) {
  Array array = Array::allocate(ElementType::f64, std::move(dims));
  std::copy(values.begin(), values.end(), array.mutable_as<double>().begin());
  return array;
}

// As numpy: |a - b| in the plane, against |b|.
TEST(Compare, ComplexNumbersAreAsFarAsInThePlane) {
  const auto one = [](std::complex<double> value) {
    Array array = Array::allocate(ElementType::c128, {1});
    array.mutable_as<std::complex<double>>()[0] = value;
    return array;
  };
  EXPECT_EQ(compare(one({3, 4}), one({0, 0}), 0, 10).max_abs, 5);
  EXPECT_TRUE(compare(one({1e6, 1}), one({1e6, 0}), 1e-5, 0).allclose) << "a small part beside a large one";
  EXPECT_FALSE(compare(one({1, 1}), one({1, 1.1}), 1e-2, 0).allclose);
  EXPECT_FALSE(compare(one({1, NAN}), one({1, NAN}), 1, 1).allclose);
  EXPECT_TRUE(compare(one({HUGE_VAL, 0}), one({HUGE_VAL, 0}), 0, 0).allclose);
}

TEST(Compare, IsNumpysAllclose) {
  constexpr double inf = HUGE_VAL, nan = NAN;
  const struct {
    std::vector<double> a, b;
    double rtol, atol;
    bool expected;
  } cases[] = {
      {{11.1}, {10.0}, 0.1, 0, false},
      {{10.0}, {11.1}, 0.1, 0, true},
      {{101.005}, {100.0}, 0.01, 0, false},
      {{100.0}, {101.005}, 0.01, 0, true},
      {{10.0}, {11.0}, 0.1, 0, true},
      {{11.0}, {10.0}, 0.1, 0, true},
      {{0.0}, {1e-9}, 1e-5, 1e-8, true},
      {{1e-7}, {0.0}, 1e-5, 1e-8, false},
      {{nan}, {nan}, 1, 1, false},
      {{inf}, {inf}, 0, 0, true},
      {{inf}, {-inf}, 1, 1, false},
      {{1e308}, {inf}, 1, 1, false},
      {{1.0, 2.0}, {1.0, 2.03}, 0.01, 0, false},
      {{100.0}, {101.0}, 0.01, 0, true},
      {{101.0}, {100.0}, 0.01, 0, true},
      {{101.01}, {100.0}, 0.01, 0.01, false},
      {{}, {}, 0, 0, true},
  };
  for (const auto& c : cases) {
    const int64_t n = static_cast<int64_t>(c.a.size());
    EXPECT_EQ(compare(f64({n}, c.a), f64({n}, c.b), c.rtol, c.atol).allclose, c.expected)
        << (c.a.empty() ? 0 : c.a[0]) << " and " << (c.b.empty() ? 0 : c.b[0]);
  }
}

TEST(Compare, CountsRelativeDifferencesAboveATenthOfAPercent) {
  const std::vector<double> reference = {1, -1000, 0, 0, 2, HUGE_VAL, 5, 5},
                            result = {1.0005, -1001.5, 0, 1e-9, 2, HUGE_VAL, NAN, 5.1};
  const NumericsReport r = compare(f64({8}, result), f64({8}, reference), 1, 1);
  EXPECT_EQ(r.percent_above_0_1, 100 * 4.0 / 8);  // −1001.5, 1e-9, NaN and 5.1
  EXPECT_FALSE(r.tolerance_max.has_value());
}

TEST(Compare, EveryElementHasItsOwnTolerance) {
  Array rounding = Array::allocate(ElementType::f32, {3});
  for (size_t e = 0; e < 3; ++e) rounding.mutable_as<float>()[e] = static_cast<float>(e);
  const Workers workers(1);
  const auto checked = [&](const std::vector<double>& result) {
    return compare(f64({3}, result), f64({3}, {10, 10, 10}), {0.01, 0.5, rounding}, workers);
  };
  EXPECT_TRUE(checked({10.6, 11.6, 12.6}).allclose);
  EXPECT_EQ(checked({10.6, 11.6, 12.6}).tolerance_max, 0.5 + 0.01 * 10 + 2);
  EXPECT_NEAR(checked({10.7, 11.6, 12.6}).percent_bad, 100 / 3.0, 1e-9);
}

TEST(Compare, RegionsAreAsManyAsAskedForAndFit) {
  const std::vector<double> zeros(6 * 40, 0);
  const NumericsReport r =
      compare(f64({6, 40}, zeros), f64({6, 40}, zeros), Tolerance(), Workers(1), {16, 20});
  EXPECT_EQ(r.region_rows, 6);
  EXPECT_EQ(r.region_cols, 20);
  EXPECT_EQ(r.regions.size(), 120u);
  EXPECT_EQ(r.regions.back().stop, (std::vector<int64_t>{6, 40}));
}

TEST(Compare, ReportsSizesPlaceAndRegions) {
  std::vector<double> reference(16 * 16, 1.0), result = reference;
  result[3 * 16 + 5] = 4;
  result[15 * 16 + 15] = 2;
  const NumericsReport r = compare(f64({16, 16}, result), f64({16, 16}, reference), 0, 0);
  EXPECT_FALSE(r.allclose);
  EXPECT_EQ(r.max_abs, 3);
  EXPECT_EQ(r.mean_abs, 4.0 / 256);
  EXPECT_EQ(r.median_abs, 0);
  EXPECT_EQ(r.percent_bad, 100 * 2.0 / 256);
  EXPECT_EQ(r.worst_index, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(r.worst_value, 4);
  EXPECT_EQ(r.worst_reference, 1);
  ASSERT_EQ(r.regions.size(), 64u);
  EXPECT_EQ(r.regions[1 * 8 + 2].percent_bad, 25);
  EXPECT_EQ(r.regions[63].mean_abs, 0.25);
  EXPECT_EQ(r.regions[63].start, (std::vector<int64_t>{14, 14}));
}

TEST(Compare, MedianIsTheMiddleOfTheDifferences) {
  EXPECT_EQ(compare(f64({4}, {1, 2, 4, 8}), f64({4}, {0, 0, 0, 0}), 0, 0).median_abs, 3);
  EXPECT_EQ(compare(f64({3}, {1, 2, 4}), f64({3}, {0, 0, 0}), 0, 0).median_abs, 2);
}

TEST(Compare, NanIsTheWorstPlaceButNoSize) {
  const NumericsReport r = compare(f64({3}, {1, NAN, 5}), f64({3}, {1, 1, 1}), 0, 0);
  EXPECT_EQ(r.worst_index, std::vector<int64_t>{1});
  EXPECT_EQ(r.max_abs, 4);
  EXPECT_NEAR(r.percent_bad, 200.0 / 3, 1e-9);
}

MatmulProblem problem(ElementType type, int64_t k = 512) {
  return {64, k, 96, type, ElementType::f32};
}

TEST(Fills, IntegersKeepEveryPartialSumExactInSixteenBits) {
  const Workers workers(2);
  const auto data =
      *make_problem_data({problem(ElementType::bf16, 1000), Fill::integers, 5, {}, {}, true}, workers, {});
  for (int64_t j = 0; j < 96; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < 1000; ++i) sum += std::fabs(data->rhs.at(i * 96 + j));
    EXPECT_EQ(sum, 256) << j;
  }
  for (int64_t i = 0; i < data->lhs.element_count(); ++i) ASSERT_LE(std::fabs(data->lhs.at(i)), 1);
  EXPECT_TRUE(data->warnings.empty());
  EXPECT_EQ(default_tolerance(*data), (std::pair<double, double>{0, 0}));
}

TEST(Fills, DependOnSeedAndNotOnThreads) {
  const Workers one(1), two(2);
  for (Fill fill : {Fill::integers, Fill::normal, Fill::arange}) {
    const auto a = *make_problem_data({problem(ElementType::f32), fill, 1, {}, {}, true}, one, {});
    const auto b = *make_problem_data({problem(ElementType::f32), fill, 1, {}, {}, true}, two, {});
    const auto c = *make_problem_data({problem(ElementType::f32), fill, 2, {}, {}, false}, two, {});
    EXPECT_EQ(a->lhs, b->lhs);
    EXPECT_EQ(a->rhs, b->rhs);
    EXPECT_EQ(a->reference, b->reference);
    EXPECT_EQ(a->lhs == c->lhs, fill == Fill::arange);
  }
}

TEST(Fills, NormalHasMeanZeroAndVarianceOne) {
  const Workers workers(2);
  const auto data = *make_problem_data(
      {{200, 500, 1, ElementType::f64, ElementType::f64}, Fill::normal, 9, {}, {}, false}, workers, {});
  double sum = 0, squares = 0;
  for (double v : data->lhs.as<double>()) {
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

TEST(Fills, ARampIsTheSeedsRampAndWarnsThatItProvesNothing) {
  const Workers workers(2);
  const auto data = *make_problem_data(
      {{256, 3072, 64, ElementType::f32, ElementType::f32}, Fill::arange, 0, {}, {}, true}, workers, {});
  EXPECT_EQ(data->lhs.as<float>()[7], 7.0f / (256 * 3072));
  ASSERT_EQ(data->warnings.size(), 2u);
  EXPECT_EQ(data->warnings[0],
            "arange divides floats by their number: X is 0, 1, 2, … over 786,432, W is 0, 1, 2, … over "
            "196,608; fill ramp leaves them as they are");
  EXPECT_NE(data->warnings[1].find("too smooth"), std::string::npos);
  const auto normal =
      *make_problem_data({problem(ElementType::f32), Fill::normal, 0, {}, {}, true}, workers, {});
  EXPECT_TRUE(normal->warnings.empty());
}

TEST(Fills, TheRampItselfIsNotScaled) {
  const Workers workers(2);
  const auto data = *make_problem_data(
      {{8, 16, 4, ElementType::bf16, ElementType::f32}, Fill::ramp, 0, {}, {}, true}, workers, {});
  EXPECT_EQ(data->lhs.at(7), 7);
  EXPECT_EQ(data->rhs.at(63), 63);
  for (const std::string& warning : data->warnings) EXPECT_EQ(warning.find("arange"), std::string::npos);
}

// No tolerance of its own: a wide one that was asked for makes any data prove nothing.
TEST(Fills, SmoothnessIsThatOfTheToleranceAskedFor) {
  const Workers workers(2);
  DataRequest request{problem(ElementType::f32), Fill::normal, 0, {}, {}, true};
  request.rtol = request.atol = 1e-3;
  EXPECT_TRUE((*make_problem_data(request, workers, {}))->warnings.empty());
  request.atol = 1e3;
  const auto wide = *make_problem_data(request, workers, {});
  ASSERT_EQ(wide->warnings.size(), 1u);
  EXPECT_NE(wide->warnings[0].find("the tolerance asked for, rtol 0.001 and atol 1000"), std::string::npos);
  request = {problem(ElementType::f32), Fill::arange, 0, {}, {}, true};
  request.rtol = request.atol = 0;
  EXPECT_EQ((*make_problem_data(request, workers, {}))->warnings.size(), 1u);
}

TEST(Reference, S32WrapsAndSaysHowMuch) {
  const Workers workers(2);
  const MatmulProblem p{64, 384, 1536, ElementType::s32, ElementType::s32};
  const auto data = *make_problem_data({p, Fill::arange, 0, {}, {}, true}, workers, {});
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 384; ++i) sum += (63 * 384 + i) * (i * 1536 + 1535);
  EXPECT_EQ(data->reference.as<int32_t>().back(), static_cast<int32_t>(sum));
  ASSERT_EQ(data->warnings.size(), 1u);
  EXPECT_EQ(data->warnings[0].find("s32 wraps: 100 %"), 0u) << data->warnings[0];
}

TEST(Reference, S32IsExactModulo2To32ForAnyOperands) {
  const Workers workers(1);
  Array x = Array::allocate(ElementType::s32, {1, 3}), w = Array::allocate(ElementType::s32, {3, 1});
  const int32_t xs[] = {INT32_MIN, INT32_MAX, -123456789}, ws[] = {INT32_MAX, INT32_MIN, 987654321};
  uint32_t sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    x.mutable_as<int32_t>()[i] = xs[i];
    w.mutable_as<int32_t>()[i] = ws[i];
    sum += static_cast<uint32_t>(xs[i]) * static_cast<uint32_t>(ws[i]);
  }
  const auto data = make_problem_data(
      {{1, 3, 1, ElementType::s32, ElementType::s32}, Fill::integers, 0, x, w, true}, workers, {});
  ASSERT_TRUE(data.ok());
  EXPECT_EQ((*data)->reference.as<int32_t>()[0], static_cast<int32_t>(sum));
}

TEST(ProblemData, SaysWhatIsTooBigBeforeAllocating) {
  const Workers workers(1);
  const auto data = make_problem_data(
      {{1 << 20, 1 << 20, 1 << 20, ElementType::f64, ElementType::f64}, Fill::integers, 0, {}, {}, true},
      workers, {});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().kind, ErrorKind::too_big);
  EXPECT_NE(data.error().what.find("TiB"), std::string::npos) << data.error().text();
}

TEST(ProblemData, ArraysOfAnotherShapeOrTypeAreRefused) {
  const Workers workers(1);
  const MatmulProblem p{2, 3, 4, ElementType::f32, ElementType::f32};
  const auto shape = make_problem_data(
      {p, Fill::integers, 0, Array::allocate(ElementType::f32, {3, 2}), {}, true}, workers, {});
  EXPECT_EQ(shape.error().what, "the left array must be [2,3], got [3,2]");
  const auto type = make_problem_data(
      {p, Fill::integers, 0, {}, Array::allocate(ElementType::f64, {3, 4}), true}, workers, {});
  EXPECT_EQ(type.error().what, "the right array must be f32, got f64");
}

}  // namespace
}  // namespace shardscope::compare_test
