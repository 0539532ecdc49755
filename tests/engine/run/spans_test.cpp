// SPDX-License-Identifier: Apache-2.0
// Sets of moments against a row of bits, one a picosecond.
#include "engine/run/spans.h"

#include <bitset>
#include <gtest/gtest.h>
#include <random>

namespace shardscope {
namespace {

constexpr size_t kMoments = 64;
using Bits = std::bitset<kMoments>;

Bits bits_of(TimeRange range) {
  Bits out;
  for (auto t = range.start; t < range.end; ++t) out.set(static_cast<size_t>(t));
  return out;
}

Bits bits_of(const Spans& spans) {
  Bits out;
  for (const TimeRange& each : spans) out |= bits_of(each);
  return out;
}

// Neither overlap nor touch, ascending, none empty: so equal sets are equal stretches.
void expect_apart(const Spans& spans) {
  Picoseconds before = -1;
  for (const TimeRange& each : spans) {
    EXPECT_GT(each.start, before);
    EXPECT_GT(each.end, each.start);
    before = each.end;
  }
}

class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}
  TimeRange range() {
    const auto a = at(), b = random_() % 4 == 0 ? a : at();
    return {std::min(a, b), std::max(a, b)};
  }
  std::vector<TimeRange> some() {
    std::vector<TimeRange> out(random_() % 9);
    for (TimeRange& each : out) each = range();
    return out;
  }

 private:
  Picoseconds at() { return static_cast<Picoseconds>(random_() % (kMoments + 1)); }
  std::mt19937 random_;
};

Bits all_of(const std::vector<TimeRange>& ranges) {
  Bits out;
  for (const TimeRange& each : ranges) out |= bits_of(each);
  return out;
}

TEST(Spans, UnionDifferenceAndLengthAreThoseOfTheBits) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Drawn drawn(seed);
    const std::vector<TimeRange> some = drawn.some(), others = drawn.some();
    const Spans a(some), b(others);
    const Bits in_a = all_of(some), in_b = all_of(others);
    ASSERT_EQ(bits_of(a), in_a) << seed;
    ASSERT_EQ(a.length(), static_cast<Picoseconds>(in_a.count())) << seed;
    std::vector<TimeRange> both = some;
    both.insert(both.end(), others.begin(), others.end());
    for (const auto& [made, bits] : {std::pair{Spans(both), in_a | in_b}, {a.minus(b), in_a & ~in_b}}) {
      expect_apart(made);
      ASSERT_EQ(bits_of(made), bits) << seed;
    }
    const TimeRange range = drawn.range();
    expect_apart(a.gaps_in(range));
    ASSERT_EQ(bits_of(a.gaps_in(range)), bits_of(range) & ~in_a) << seed;
    ASSERT_EQ(a.length_in(range), static_cast<Picoseconds>((bits_of(range) & in_a).count())) << seed;
  }
}

TEST(Spans, AreTheSameInWhateverOrderTheyCome) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Drawn drawn(seed);
    const std::vector<TimeRange> some = drawn.some();
    Spans one_by_one;
    for (const TimeRange& each : some) one_by_one.add(each);
    expect_apart(one_by_one);
    ASSERT_EQ(one_by_one, Spans(some)) << seed;
  }
}

// Whatever was forgotten, later moments are as they would have been.
TEST(Spans, WhatIsForgottenLiesBeforeTheTimeThatIsNamed) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Drawn drawn(seed);
    std::vector<TimeRange> some = drawn.some();
    std::ranges::sort(some);
    Spans whole, short_of;
    for (const TimeRange& each : some) {
      whole.add(each);
      short_of.add(each);
      short_of.forget_before(each.start);
      const TimeRange later{each.start, static_cast<Picoseconds>(kMoments)};
      ASSERT_EQ(short_of.length_in(later), whole.length_in(later)) << seed;
      expect_apart(short_of);
    }
    short_of.forget_before(static_cast<Picoseconds>(kMoments) + 1);
    ASSERT_EQ(short_of, Spans()) << seed;
  }
}

TEST(Spans, HullGoesFromTheFirstStartToTheLastEnd) {
  EXPECT_EQ(hull_of({}), TimeRange());
  const std::vector<TimeRange> some{{7, 7}, {3, 9}, {4, 5}};
  EXPECT_EQ(hull_of(some), (TimeRange{3, 9}));
}

TEST(CoveredTime, OfStretchesByStartIsTheLengthOfTheirUnion) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Drawn drawn(seed);
    std::vector<TimeRange> some = drawn.some();
    std::ranges::sort(some);
    CoveredTime covered;
    Bits before;
    for (const TimeRange& each : some) {
      const Bits fresh = bits_of(each) & ~before;
      before |= bits_of(each);
      ASSERT_EQ(covered.add(each), static_cast<Picoseconds>(fresh.count())) << seed;
      ASSERT_GE(covered.until, each.end) << seed;
    }
    ASSERT_EQ(covered.length, Spans(some).length()) << seed;
  }
}

}  // namespace
}  // namespace shardscope
