// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/shaken.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "engine/numerics/rules/interpreter.h"

namespace shardscope::shaken_test {
namespace {

TEST(Shaken, IsANeighbourTheSameOneEachTime) {
  int up = 0, down = 0;
  for (int k = 1; k < 1000; ++k) {
    const double x = std::sin(k), y = shaken(x);
    EXPECT_EQ(y, shaken(x));
    EXPECT_TRUE(y == std::nextafter(x, HUGE_VAL) || y == std::nextafter(x, -HUGE_VAL)) << x;
    ++(y > x ? up : down);
  }
  EXPECT_GT(up, 400);
  EXPECT_GT(down, 400);
}

TEST(Shaken, ShortNumbersAndWhatIsNoNumberStay) {
  for (const double x : {0.0, -0.0, 1.0, 3.5, 65536.0, HUGE_VAL, -HUGE_VAL}) EXPECT_EQ(shaken(x), x);
  EXPECT_TRUE(std::isnan(shaken(std::nan(""))));
}

// Sums and products move; what only picks elements does not, so that a maximum is still one of them.
TEST(Shaken, AProgramRoundsToNeighboursWhereItRounds) {
  const auto program = parse_program(
      "HloModule m\nlarger { a = f64[] parameter(0)\n b = f64[] parameter(1)\n ROOT c = f64[] maximum(a, b) "
      "}\n"
      "ENTRY e { i = f64[64] iota(), iota_dimension=0\n x = f64[64] sine(i)\n z = f64[] constant(-9)\n"
      " m = f64[] reduce(x, z), dimensions={0}, to_apply=larger\n b = f64[64] broadcast(m), dimensions={}\n"
      " is = pred[64] compare(x, b), direction=EQ\n ones = f64[64] convert(is)\n"
      " ROOT t = (f64[64], f64[64]) tuple(x, ones) }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Workers workers;
  Interpreter interpreter(*program, workers, false);
  const auto values = [&](bool moved, size_t leaf) {
    RunLimits limits;
    limits.shaken = moved;
    const auto root = interpreter.run_values({}, limits);
    EXPECT_TRUE(root.ok()) << root.error().text();
    const Array made = copy_of(*root->front().elements[leaf].view);
    const auto of = made.as<double>();
    return std::vector<double>(of.begin(), of.end());
  };
  const std::vector<double> x = values(false, 0), other = values(true, 0);
  EXPECT_NE(x, other);
  for (size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], other[k], 2e-16);
  const std::vector<double> ones = values(true, 1);
  EXPECT_EQ(std::count(ones.begin(), ones.end(), 1.0), 1);
  EXPECT_EQ(values(false, 0), x);
}

// Sorting compares, and gives the same numbers in another order.
TEST(Shaken, WhatIsSortedIsWhatItWas) {
  const auto program = parse_program(
      "HloModule m\nless { a = f64[] parameter(0)\n b = f64[] parameter(1)\n"
      " ROOT c = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { p = f64[8] parameter(0)\n ROOT s = f64[8] sort(p), dimensions={0}, to_apply=less }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  Array given = Array::allocate(ElementType::f64, {8});
  const auto values = given.mutable_as<double>();
  for (size_t k = 0; k < values.size(); ++k) values[k] = std::sin(static_cast<double>(k + 1));
  std::vector<double> expected(values.begin(), values.end());
  std::ranges::sort(expected);
  const Workers workers;
  Interpreter interpreter(*program, workers, false);
  RunLimits limits;
  limits.shaken = true;
  const auto root = interpreter.run({{std::make_shared<const View>(View::of(given))}}, limits);
  ASSERT_TRUE(root.ok()) << root.error().text();
  const Array sorted = copy_of(*root->front().view);
  EXPECT_TRUE(std::ranges::equal(sorted.as<double>(), expected));
}

}  // namespace
}  // namespace shardscope::shaken_test
