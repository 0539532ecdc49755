// SPDX-License-Identifier: Apache-2.0
// A lane takes of the requests that wait for it the first by (ready, source, work, step, chunk, slot).
#include "engine/schedule/events/lane_queue.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

namespace shardscope::schedule_test::lane_queue_test {
namespace {

auto key(const LaneRequest& r) {
  return std::tuple(r.ready, r.source, r.work, r.step, r.chunk, r.slot);
}
auto rest(const LaneRequest& r) {
  return std::tuple(r.lane, r.run, r.next, r.flight, r.kind);
}

LaneRequest mixed(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<int32_t>(random() % n); };
  LaneRequest r;
  r.ready = below(3);
  r.source = below(3);
  r.work = below(2);
  r.step = below(2);
  r.chunk = below(3);
  r.kind = below(2) == 0 ? LaneRequest::Kind::compute : LaneRequest::Kind::transfer;
  r.run = below(9);
  r.next = below(9);
  r.flight = r.kind == LaneRequest::Kind::compute ? -1 : below(9) - 1;
  return r;
}

// Of one step of a collective.
LaneRequest alike(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<int32_t>(random() % n); };
  LaneRequest r;
  r.ready = 5;
  r.work = 2;
  r.step = 1;
  r.run = 3;
  r.next = 4;
  r.kind = LaneRequest::Kind::transfer;
  r.source = below(40);
  r.chunk = below(50);
  r.flight = below(9) - 1;
  return r;
}

// Pushes and pops at random, of `fill` pushes the more the queue is to hold; each pop is the first of all.
void expect_order(const std::function<LaneRequest(std::mt19937&)>& make, uint32_t seed, int32_t fill) {
  constexpr int32_t kLane = 7;
  std::mt19937 random(seed);
  LaneStore store;
  LaneQueue queue;
  std::vector<LaneRequest> waiting;
  for (int32_t i = 0; i < 2'000; ++i) {
    if (!waiting.empty() && static_cast<int32_t>(random() % 10) >= fill) {
      const auto first = std::min_element(waiting.begin(), waiting.end(),
                                          [](const auto& a, const auto& b) { return key(a) < key(b); });
      const LaneRequest front = queue.front(kLane);
      const LaneRequest got = queue.pop(kLane);
      ASSERT_EQ(key(front), key(*first));
      ASSERT_EQ(key(got), key(*first));
      ASSERT_EQ(rest(got), rest(*first));
      waiting.erase(first);
      continue;
    }
    LaneRequest r = make(random);
    r.slot = i;  // no two are the same
    r.lane = kLane;
    queue.push(r, store);
    waiting.push_back(r);
  }
  EXPECT_EQ(queue.empty(), waiting.empty());
}

TEST(LaneQueue, GivesTheFirstWithAllThatItCarries) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    for (const int32_t fill : {4, 6}) expect_order(mixed, seed, fill);
  }
}

TEST(LaneQueue, OfOneStepToo) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    for (const int32_t fill : {4, 5, 6}) {
      expect_order(alike, seed, fill);
      // Most in the order of their sources, as links bring them.
      int32_t source = 0;
      const auto in_runs = [&](std::mt19937& random) {
        LaneRequest r = alike(random);
        r.source = source = random() % 20 == 0 ? static_cast<int32_t>(random() % 40) : source + 1;
        return r;
      };
      expect_order(in_runs, seed, fill);
    }
  }
}

TEST(LaneQueue, OfOneStepAmongOthers) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    for (const int32_t fill : {4, 5}) {
      expect_order([](std::mt19937& random) { return random() % 50 == 0 ? mixed(random) : alike(random); },
                   seed, fill);
    }
  }
}

}  // namespace
}  // namespace shardscope::schedule_test::lane_queue_test
