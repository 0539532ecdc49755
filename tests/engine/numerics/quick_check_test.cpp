// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/quick_check.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/numerics/data/fill.h"
#include "engine/request/check_kind.h"

namespace shardscope::quick_check_test {
namespace {

struct Made {
  std::shared_ptr<const ProblemData> data;
  Array result;  // the reference itself
};

Made made(ElementType type, Fill fill) {
  const MatmulProblem problem{96, 130, 75, type, ElementType::f32};
  const Workers workers(2);
  Made out{make_problem_data({problem, fill, 3}, workers, {}).value(), {}};
  out.result = Array::allocate(out.data->reference.type(), out.data->reference.dims());
  std::copy_n(out.data->reference.data(), out.result.bytes(), out.result.mutable_data());
  return out;
}

NumericsReport checked(const Made& m) {
  const auto [rtol, atol] = default_tolerance(*m.data);
  return quick_check(m.result, *m.data, {rtol, atol, {}}, Workers(2), {});
}

TEST(QuickCheck, PassesTheProductItself) {
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::bf16, ElementType::f16}) {
    for (const Fill fill : {Fill::integers, Fill::normal}) {
      const NumericsReport report = checked(made(type, fill));
      EXPECT_TRUE(report.checked && report.allclose) << name(type) << ' ' << name(fill);
      EXPECT_EQ(report.reference, kQuickProduct);
      EXPECT_EQ(report.tolerance_max.has_value(), fill == Fill::normal);
      ASSERT_EQ(report.warnings.size(), 1U);
    }
  }
}

TEST(QuickCheck, OfExactDataFindsEveryElementThatIsOffByTheLeastThereIs) {
  Made m = made(ElementType::f32, Fill::integers);
  const auto values = m.result.mutable_as<float>();
  for (size_t i = 0; i < values.size(); i += 7) {
    values[i] += 1;
    const NumericsReport report = checked(m);
    EXPECT_FALSE(report.allclose) << i;
    EXPECT_EQ(report.worst_index, std::vector<int64_t>{static_cast<int64_t>(i) / 75}) << i;
    EXPECT_DOUBLE_EQ(report.percent_bad, 100.0 / 96) << i;
    values[i] -= 1;
  }
}

TEST(QuickCheck, OfDataThatRoundsFindsWhatIsLargerThanItsBoundAndNumbersThatAreNone) {
  Made m = made(ElementType::f32, Fill::normal);
  const double bound = *checked(m).tolerance_max;
  EXPECT_GT(bound, 0);
  const auto values = m.result.mutable_as<float>();
  const float before = values[100];
  values[100] = before + static_cast<float>(2.5 * bound);
  EXPECT_FALSE(checked(m).allclose);
  values[100] = NAN;
  EXPECT_FALSE(checked(m).allclose);
  EXPECT_EQ(checked(m).worst_index, std::vector<int64_t>{1});
  values[100] = before;
  EXPECT_TRUE(checked(m).allclose);
}

TEST(QuickCheck, WholeNumbersOfTheProblemHaveNone) {
  EXPECT_FALSE(has_quick_check({1, 1, 1, ElementType::s32, ElementType::s32}));
  EXPECT_FALSE(has_quick_check({1, 1, 1, ElementType::s8, ElementType::s32}));
  EXPECT_TRUE(has_quick_check({1, 1, 1, ElementType::bf16, ElementType::f32}));
}

}  // namespace
}  // namespace shardscope::quick_check_test
