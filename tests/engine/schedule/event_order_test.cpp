// SPDX-License-Identifier: Apache-2.0
// Events are put into a timeline's order while they come.
#include "engine/schedule/events/event_order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <tuple>

namespace shardscope::schedule_test::event_order_test {
namespace {

constexpr int32_t kDevices = 12;

// Events that start one after the other in groups; of each the cause is an earlier one.
std::vector<Event> made(uint32_t seed, int32_t groups, bool by_time) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<int32_t>(random() % n); };
  std::vector<Event> out;
  for (int32_t g = 0; g < groups; ++g) {
    const int32_t many = 1 + below(seed % 2 == 0 ? 4 : 40);
    for (int32_t i = 0; i < many; ++i) {
      Event e;
      e.start = by_time ? g * 10 : below(50);
      e.device = below(kDevices);
      e.lane = static_cast<int16_t>(below(3));
      e.instruction = below(3);
      e.chunk = below(3);
      e.step = static_cast<int32_t>(out.size());  // which one it is
      e.cause = out.empty() || below(4) == 0 ? -1 : below(static_cast<uint32_t>(out.size()));
      out.push_back(e);
    }
  }
  return out;
}

// The same by one sort of all.
std::vector<Event> sorted(const std::vector<Event>& events) {
  const auto key = [&](int32_t i) {
    const Event& e = events[static_cast<size_t>(i)];
    return std::tuple(e.start, e.device, e.lane, e.instruction, e.chunk, i);
  };
  std::vector<int32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  std::vector<Event> out;
  for (const int32_t i : order) {
    Event e = events[static_cast<size_t>(i)];
    if (e.cause >= 0)
      e.cause = static_cast<int32_t>(std::find(order.begin(), order.end(), e.cause) - order.begin());
    out.push_back(e);
  }
  return out;
}

void expect_sorted(const std::vector<Event>& events) {
  EventOrder order(kDevices);
  for (const Event& event : events) order.add(event);
  const std::vector<Event> got = order.finish();
  EXPECT_EQ(got, sorted(events));
  for (size_t i = 0; i < events.size(); ++i)
    EXPECT_EQ(got[static_cast<size_t>(order.place_of(static_cast<int64_t>(i)))].step,
              static_cast<int32_t>(i));
}

TEST(EventOrder, IsThatOfOneSort) {
  for (uint32_t seed = 0; seed < 40; ++seed) expect_sorted(made(seed, 20, true));
}

TEST(EventOrder, OfEventsThatCallsLetComeEarlierThanTheLast) {
  for (uint32_t seed = 0; seed < 40; ++seed) expect_sorted(made(seed, 20, false));
}

TEST(EventOrder, OfEventsThatStandInIt) {
  std::vector<Event> events = sorted(made(3, 20, true));
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].step = static_cast<int32_t>(i);
    events[i].cause = static_cast<int32_t>(i) - 1;
  }
  expect_sorted(events);
  expect_sorted({});
}

}  // namespace
}  // namespace shardscope::schedule_test::event_order_test
