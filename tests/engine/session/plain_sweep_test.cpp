// SPDX-License-Identifier: Apache-2.0
// What a sweep runs when nobody names strategies.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/session/session.h"

namespace shardscope::plain_sweep_test {
namespace {

bool names(const std::vector<RunRequest>& requests, std::string_view id) {
  return std::ranges::any_of(requests, [&](const RunRequest& r) { return r.strategy == id; });
}

TEST(PlainSweep, TakesEveryStrategyButTheBroken) {
  Experiment e;
  EXPECT_TRUE(names(requests_of(e), "pallas.ring"));
  EXPECT_TRUE(names(requests_of(e), "auto"));
  EXPECT_FALSE(names(requests_of(e), "pallas.fused_as_written"));
  e.runs.push_back({"pallas.fused_as_written", {}, "", std::nullopt, std::nullopt});
  EXPECT_TRUE(names(requests_of(e), "pallas.fused_as_written"));
}

// Wrong numbers of a strategy that is wrong on purpose are shown, on the mesh where they are.
TEST(PlainSweep, ANamedBrokenOneIsRunAndCaught) {
  Experiment e;
  e.mesh = *Mesh::parse("x=3,y=3");
  e.problem = {36, 36, 36, ElementType::f32, ElementType::f32};
  e.runs.push_back({"pallas.fused_as_written", {}, "", std::nullopt, std::nullopt});
  const auto done = sweep(e, {}, {});
  ASSERT_TRUE(done.ok()) << done.error().text();
  ASSERT_EQ(done->runs.size(), 1U);
  EXPECT_EQ(done->runs[0]->kind, StrategyKind::broken);
  EXPECT_FALSE(done->runs[0]->numerics.allclose);
  EXPECT_GT(done->runs[0]->timeline.event_count, 0);
}

}  // namespace
}  // namespace shardscope::plain_sweep_test
