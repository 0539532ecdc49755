// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "views/scene/core/layouts.h"
#include "views/scene/core/ticks.h"

namespace shardscope::time_axis_test {
namespace {

constexpr TimeRange kWhole{0, 1'000'000'000};

TEST(TimeAxis, PixelsAndTimesAreInverse) {
  const TimeAxis axis{100, 800, {200'000, 1'000'000}};
  for (const float x : {100.0F, 300.0F, 777.0F, 900.0F}) EXPECT_NEAR(axis.x_of(axis.time_at(x)), x, 0.01);
}

TEST(TimeAxis, ZoomKeepsTheTimeUnderTheCursor) {
  for (const float x : {110.0F, 450.0F, 880.0F}) {
    for (const double factor : {1.25, 4.0, 0.8}) {
      TimeAxis axis{100, 800, {400'000'000, 600'000'000}};
      const Picoseconds before = axis.time_at(x);
      axis.range = axis.zoomed(x, factor, kWhole);
      EXPECT_NEAR(axis.x_of(before), x, 0.01) << x << " " << factor;
    }
  }
}

TEST(TimeAxis, StaysWithinItsBounds) {
  const TimeAxis axis{0, 1000, {100, 500'000'000}};
  EXPECT_EQ(axis.zoomed(500, 0.001, kWhole), kWhole);
  EXPECT_EQ(axis.panned(1e6F, kWhole).start, 0);
  EXPECT_EQ(axis.panned(-1e6F, kWhole).end, kWhole.end);
  EXPECT_GE(axis.zoomed(500, 1e30, kWhole).length(), 1);
}

TEST(TimeTicks, AreRoundAndInOneUnit) {
  const auto ticks = time_ticks({0, 46'600'000}, 6);
  ASSERT_EQ(ticks.size(), 5U);
  EXPECT_EQ(ticks[0].label, "0");
  EXPECT_EQ(ticks[1].label, "10 µs");
  EXPECT_EQ(ticks[4].label, "40 µs");
  EXPECT_EQ(time_ticks({1'000'000, 1'400'000}, 4)[1].label, "1.1 µs");
  EXPECT_TRUE(time_ticks({5, 5}, 4).empty());
}

TEST(TimeTicks, NeverMoreThanAsked) {
  for (Picoseconds length = 1; length < 1'000'000'000'000; length = length * 3 + 1) {
    EXPECT_LE(time_ticks({length / 7, length / 7 + length}, 10).size(), 11U);
  }
}

}  // namespace
}  // namespace shardscope::time_axis_test
