// SPDX-License-Identifier: Apache-2.0
// A lane takes of the requests that wait for it the first by (ready, source, work, step, chunk, slot).
#include "engine/schedule/events/lane_queue.h"

#include <algorithm>
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

TEST(LaneQueue, GivesTheFirstWithAllThatItCarries) {
  constexpr int32_t kLane = 7;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<int32_t>(random() % n); };
    LaneQueue queue;
    std::vector<LaneRequest> waiting;
    for (int32_t i = 0; i < 400; ++i) {
      if (!waiting.empty() && below(5) < 2) {
        const auto first = std::min_element(waiting.begin(), waiting.end(),
                                            [](const auto& a, const auto& b) { return key(a) < key(b); });
        const LaneRequest front = queue.front(kLane);
        const LaneRequest got = queue.pop(kLane);
        EXPECT_EQ(key(front), key(*first));
        EXPECT_EQ(key(got), key(*first));
        EXPECT_EQ(rest(got), rest(*first));
        waiting.erase(first);
        continue;
      }
      LaneRequest r;
      r.ready = below(3);
      r.source = below(3);
      r.work = below(2);
      r.step = below(2);
      r.chunk = below(3);
      r.slot = i;  // no two are the same
      r.lane = kLane;
      r.kind = below(2) == 0 ? LaneRequest::Kind::compute : LaneRequest::Kind::transfer;
      r.run = below(9);
      r.next = below(9);
      r.flight = r.kind == LaneRequest::Kind::compute ? -1 : below(9) - 1;
      queue.push(r);
      waiting.push_back(r);
    }
    EXPECT_EQ(queue.empty(), waiting.empty());
  }
}

}  // namespace
}  // namespace shardscope::schedule_test::lane_queue_test
