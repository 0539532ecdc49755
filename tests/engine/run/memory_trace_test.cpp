// SPDX-License-Identifier: Apache-2.0
#include "engine/run/lane_pyramid.h"
#include "tests/engine/run/made_timeline.h"
#include "tests/engine/run/trace_conformance.h"

namespace shardscope::memory_trace_test {
namespace {

std::unique_ptr<TraceSource> trace_of(const Timeline& timeline) {
  auto run = std::make_shared<Run>();
  run->timeline = timeline;
  return memory_trace(run);
}

TEST(MemoryTrace, KeepsThePromisesOfATraceSource) {
  const Timeline timeline = made_timeline(2, 3, 700, 1);
  check_trace(*trace_of(timeline), timeline, true);
}

TEST(MemoryTrace, KeepsThemWhereEventsOfALaneOverlap) {
  const Timeline timeline = made_timeline(2, 2, 700, 2, true);
  check_trace(*trace_of(timeline), timeline, false);
}

TEST(MemoryTrace, HasNothingToShowOfARunWithoutEvents) {
  Timeline timeline;
  timeline.devices = 1;
  timeline.lanes = {{LaneKind::compute, -1, 0, "compute"}};
  const auto trace = trace_of(timeline);
  EXPECT_TRUE(trace->bins(DeviceId(0), 0, {0, 100}, 10).value().empty());
  EXPECT_TRUE(trace->steps().value().empty());
}

TEST(LanePyramid, EachLevelIsAtMostHalfAsLongAsTheOneBefore) {
  const Timeline timeline = made_timeline(1, 1, 20'000, 3);
  std::vector<int32_t> order;
  for (size_t i = 0; i < timeline.events.size(); ++i) order.push_back(static_cast<int32_t>(i));
  size_t before = order.size();
  Picoseconds width = 0;
  const auto levels = build_pyramid(event_bins(timeline.events, order));
  EXPECT_GE(levels.size(), 4u);
  for (const PyramidLevel& level : levels) {
    EXPECT_LE(level.bins.size() * 2, before);
    EXPECT_GT(level.width, width);
    before = level.bins.size();
    width = level.width;
    int64_t count = 0;
    for (const PyramidBin& bin : level.bins) count += bin.count;
    EXPECT_EQ(count, 20'000);
  }
}

}  // namespace
}  // namespace shardscope::memory_trace_test
