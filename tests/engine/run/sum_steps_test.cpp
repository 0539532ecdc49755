// SPDX-License-Identifier: Apache-2.0
// A short sum in a narrow float, rounding by rounding.
#include "engine/run/sum_steps.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace shardscope::sum_steps_test {
namespace {

TEST(SumSteps, ReproduceTheNotebooksElement) {
  const std::vector<double> partials{65.2428817152977, -65.27517110109329};
  const auto sum = sum_in(ElementType::bf16, partials);
  ASSERT_TRUE(sum.has_value());
  ASSERT_EQ(sum->steps.size(), 3U);
  EXPECT_EQ(sum->steps[0].stored, 65);
  EXPECT_EQ(sum->steps[0].spacing, 0.5);
  EXPECT_EQ(sum->steps[1].stored, -65.5);
  EXPECT_EQ(sum->steps[2].lost(), 0) << "near numbers cancel without an error";
  EXPECT_EQ(sum->result, -0.5);
  EXPECT_NEAR(sum->steps[0].ulps(), -0.4858, 1e-4);
}

TEST(SumSteps, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(sum_in(ElementType::bf16, std::vector<double>{256, 1})->result, 256);
  EXPECT_EQ(sum_in(ElementType::bf16, std::vector<double>{258, 1})->result, 260);
  EXPECT_EQ(sum_in(ElementType::f16, std::vector<double>{2048, 1})->result, 2048);
}

// bf16 is the upper half of an f32: what the bits say is what the steps must say.
TEST(SumSteps, StoreWhatTheBitsOfTheTypeHold) {
  for (int k = 1; k < 4000; ++k) {
    const float number = std::ldexp(1.0F + static_cast<float>(k) * 0.000244F, k % 60 - 30);
    uint32_t bits = 0;
    std::memcpy(&bits, &number, 4);
    bits += 0x7fff + ((bits >> 16) & 1);
    bits &= 0xffff0000;
    float expected = 0;
    std::memcpy(&expected, &bits, 4);
    EXPECT_EQ(sum_in(ElementType::bf16, std::vector<double>{number})->result, expected) << number;
  }
}

TEST(SumSteps, WideTypesAndNumbersOutsideHaveNone) {
  EXPECT_FALSE(sum_in(ElementType::f32, std::vector<double>{1, 2}).has_value());
  EXPECT_FALSE(sum_in(ElementType::f16, std::vector<double>{70000}).has_value());
  EXPECT_FALSE(sum_in(ElementType::bf16, std::vector<double>{}).has_value());
}

TEST(BinaryDigits, OfATypeAreCutWhereItEnds) {
  const BinaryDigits digits = digits_in(ElementType::bf16, -65.25, 4);
  EXPECT_TRUE(digits.negative);
  EXPECT_EQ(digits.exponent, 6);
  EXPECT_EQ(digits.kept, "1.0000010");
  EXPECT_EQ(digits.cut, "1");
}

}  // namespace
}  // namespace shardscope::sum_steps_test
