// SPDX-License-Identifier: Apache-2.0
// Sums over what loops repeat are those of the same entries taken one by one, to the bit.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/plan/repeated_sum.h"
#include "engine/run/spans.h"
#include "engine/schedule/loops/series.h"

namespace shardscope {
namespace {

std::vector<std::pair<int64_t, int64_t>> written_out(const std::vector<Series>& all) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const Series& s : all)
    for (int64_t i = 0; i < s.count; ++i) out.emplace_back(s.at + s.by * i, s.with + s.with_by * i);
  std::ranges::sort(out);
  return out;
}

int64_t covered_one_by_one(const std::vector<Series>& spans) {
  int64_t length = 0, end = INT64_MIN;
  for (const auto& [from, to] : written_out(spans)) {
    if (to <= std::max(from, end)) continue;
    length += to - std::max(from, end);
    end = to;
  }
  return length;
}

int64_t most_one_by_one(const std::vector<Series>& changes) {
  int64_t bytes = 0, most = 0;
  for (const auto& [at, change] : written_out(changes)) most = std::max(most, bytes += change);
  return most;
}

}  // namespace

TEST(LoopSums, RepeatedAdditionsRoundAsOneByOne) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> adds(1 + random() % 4);
    // From whole numbers to thirds, and large enough that sums leave what a double holds exactly.
    for (double& a : adds)
      a = static_cast<double>(random() % 1000) * std::ldexp(1.0, static_cast<int>(random() % 50)) /
          static_cast<double>(1 + random() % 3);
    const auto add = [&](double s) {
      for (const double a : adds) s += a;
      return s;
    };
    const double from = round % 2 == 0 ? 0 : std::ldexp(1.0, 53 - round % 9) + 1;
    const auto times = static_cast<int64_t>(random() % 20'000);
    double expected = from;
    for (int64_t i = 0; i < times; ++i) expected = add(expected);
    ASSERT_EQ(repeated_sum(from, times, add), expected) << round << " × " << times;
  }
}

TEST(LoopSums, SpansAtManyPacesCoverWhatTheyCoverOneByOne) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Series> spans(1 + random() % 6);
    const auto pace = static_cast<int64_t>(1 + random() % 30);
    for (Series& s : spans) {
      s.at = static_cast<int64_t>(random() % 400);
      s.by = random() % 2 == 0 ? pace : static_cast<int64_t>(random() % 40);
      s.with = s.at + static_cast<int64_t>(random() % 50);
      s.with_by = random() % 4 == 0 ? static_cast<int64_t>(random() % 40) : s.by;
      s.count = static_cast<int64_t>(random() % 60);
    }
    std::string all;
    for (const Series& s : spans)
      all += fmt::format("{{{}, {}, {}, {}, {}}} ", s.at, s.by, s.with, s.with_by, s.count);
    ASSERT_EQ(covered_time(spans), covered_one_by_one(spans)) << all;
  }
}

// As the lanes of a device add them: each in order, but one far behind another.
TEST(LoopSums, SpansOfLanesThatFallBehindAreOneUnion) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> lanes(1 + random() % 3, 0);
    const int64_t wide = 1 + static_cast<int64_t>(random() % 40);
    Spans spans;
    std::vector<Series> all;
    for (size_t k = 0; k < 1 + random() % 3000; ++k) {
      int64_t& lane = lanes[random() % lanes.size() * (random() % 5 == 0 ? 1 : 0)];
      const int64_t start = lane + static_cast<int64_t>(random() % 3);
      lane = start + static_cast<int64_t>(random()) % wide;
      if (lane < start) lane = start;
      spans.add({start, lane});
      all.push_back({start, 0, lane, 0, 1});
    }
    const int64_t expected = covered_one_by_one(all);
    ASSERT_EQ(spans.length(), expected) << round;
    const std::vector<TimeRange> apart(spans.begin(), spans.end());
    for (size_t k = 1; k < apart.size(); ++k) ASSERT_LT(apart[k - 1].end, apart[k].start) << round;
  }
}

TEST(LoopSums, ChangesAtManyPacesAreAtMostWhatTheyAreOneByOne) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::vector<Series> changes(1 + random() % 8);
    const auto pace = static_cast<int64_t>(1 + random() % 30);
    for (Series& s : changes) {
      s.at = static_cast<int64_t>(random() % 300);
      s.by = random() % 3 == 0 ? pace : static_cast<int64_t>(random() % 40);
      s.with = static_cast<int64_t>(random() % 21) - 10;
      s.count = static_cast<int64_t>(random() % 80);
    }
    ASSERT_EQ(most_at_once(changes), most_one_by_one(changes)) << round;
  }
}

TEST(LoopSums, OfManyEntriesTakeNoLonger) {
  constexpr int64_t kMany = int64_t{1} << 40;
  EXPECT_EQ(repeated_sum(0, kMany, [](double s) { return s + 3; }), 3.0 * kMany);
  EXPECT_EQ(covered_time({{0, 10, 10, 10, kMany}, {5, 7, 6, 7, kMany / 2}}), 10 * kMany);
  // Made each 10, gone each 11 after.
  EXPECT_EQ(most_at_once({{0, 10, 1, 0, kMany}, {100, 11, -1, 0, kMany}}),
            kMany - ((10 * (kMany - 1) - 100) / 11 + 1));
}

}  // namespace shardscope
