// SPDX-License-Identifier: Apache-2.0
// What every TraceSource promises, checked against the timeline it was made from by reading all of it.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/run/lane_pyramid.h"
#include "engine/run/trace_source.h"

namespace shardscope {

inline std::vector<TimeRange> windows_of(const Timeline& timeline) {
  const Picoseconds total = timeline.total;
  return {{0, total},
          {total / 3, total / 2},
          {total / 2, total / 2 + total / 100},
          {total / 5, total / 5 + 1},
          {total, total + 10},
          {-50, total / 7},
          {total / 2, total / 2 + total / 5000 + 1}};
}

inline void check_bins(const TraceSource& trace, const Timeline& timeline, int device, int lane,
                       TimeRange range, int pixels) {
  auto outcome = trace.bins(DeviceId(device), lane, range, pixels);
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  const std::vector<LaneBin>& bins = *outcome;
  std::vector<int32_t> order;  // of the whole lane
  for (size_t i = 0; i < timeline.events.size(); ++i)
    if (timeline.events[i].device == device && timeline.events[i].lane == lane)
      order.push_back(static_cast<int32_t>(i));
  const Picoseconds width = cell_width(range, pixels);
  std::set<int32_t> critical(timeline.critical_path.events.begin(), timeline.critical_path.events.end());
  std::set<int32_t> covered;
  for (const LaneBin& bin : bins) {
    EXPECT_TRUE(touches(range, bin.range.start, bin.range.end));
    const auto first = std::find(order.begin(), order.end(), bin.event);
    ASSERT_NE(first, order.end());
    ASSERT_LE(bin.count, order.end() - first);
    Picoseconds start = timeline.events[static_cast<size_t>(*first)].start, end = 0;
    int64_t bytes = 0;
    bool is_critical = false;
    for (auto number = first; number != first + bin.count; ++number) {
      const Event& event = timeline.events[static_cast<size_t>(*number)];
      if (bin.count > 1) {
        EXPECT_LT(event.end - event.start, width) << "an event of a pixel or more stays alone";
      }
      end = std::max(end, event.end);
      bytes += event.bytes;
      is_critical = is_critical || critical.count(*number) > 0;
      EXPECT_TRUE(covered.insert(*number).second) << "no event is in two bins";
    }
    EXPECT_EQ(bin.range, (TimeRange{start, end}));
    EXPECT_EQ(bin.bytes, bytes);
    EXPECT_EQ(bin.critical, is_critical);
    EXPECT_LE(bin.busy, end - start);
    EXPECT_LE(end - start, std::max(3 * width, bin.count == 1 ? end - start : 0))
        << "a bin of several is about a pixel";
  }
  for (const int32_t number : order) {
    const Event& event = timeline.events[static_cast<size_t>(number)];
    if (touches(range, event.start, event.end)) {
      EXPECT_TRUE(covered.count(number) > 0) << "event " << number;
    }
  }
  EXPECT_TRUE(std::is_sorted(bins.begin(), bins.end(), [](const LaneBin& a, const LaneBin& b) {
    return a.range.start < b.range.start;
  }));
}

inline void check_trace(const TraceSource& trace, const Timeline& timeline, bool serial_lanes) {
  EXPECT_EQ(trace.devices(), timeline.devices);
  EXPECT_EQ(trace.lanes(), timeline.lanes);
  EXPECT_EQ(trace.total(), timeline.total);
  EXPECT_EQ(trace.event_count(), timeline.event_count);
  EXPECT_EQ(trace.critical_path().value(), timeline.critical_path.events);
  for (size_t i = 0; i < timeline.events.size(); i += 1 + timeline.events.size() / 50)
    EXPECT_EQ(trace.event(static_cast<int32_t>(i)).value(), timeline.events[i]) << i;
  EXPECT_FALSE(trace.event(-1).ok());
  EXPECT_FALSE(trace.event(static_cast<int32_t>(timeline.events.size())).ok());
  EXPECT_FALSE(trace.bins(DeviceId(timeline.devices), 0, {0, 1}, 10).ok());
  EXPECT_FALSE(trace.events(DeviceId(0), static_cast<int>(timeline.lanes.size()), {0, 1}).ok());
  for (int device = 0; device < timeline.devices; ++device) {
    for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane) {
      Picoseconds busy = 0;
      const auto whole = trace.bins(DeviceId(device), lane, {0, timeline.total}, 100);
      for (const LaneBin& bin : *whole) busy += bin.busy;
      Picoseconds covered = 0, until = 0;
      for (const Event& e : timeline.events) {
        if (e.device != device || e.lane != lane) continue;
        covered += std::max<Picoseconds>(0, e.end - std::max(until, e.start));
        until = std::max(until, e.end);
      }
      EXPECT_EQ(busy, covered) << "bins count no time twice and leave none out";
      for (const TimeRange range : windows_of(timeline)) {
        std::vector<int32_t> expected;
        for (size_t i = 0; i < timeline.events.size(); ++i) {
          const Event& e = timeline.events[i];
          if (e.device == device && e.lane == lane && touches(range, e.start, e.end))
            expected.push_back(static_cast<int32_t>(i));
        }
        EXPECT_EQ(trace.events(DeviceId(device), lane, range).value(), expected);
        for (const int pixels : {1, 7, 100, 2000}) {
          check_bins(trace, timeline, device, lane, range, pixels);
          if (serial_lanes) {
            EXPECT_LE(trace.bins(DeviceId(device), lane, range, pixels).value().size(),
                      static_cast<size_t>(2 * pixels + 3));
          }
        }
      }
    }
  }
  const auto steps = trace.steps().value();
  for (size_t i = 1; i < steps.size(); ++i)
    EXPECT_LE(steps[i - 1].range.start, steps[i].range.start) << "in time order";
  // Every event belongs to one step of its pair, and a step is no longer than its events.
  std::vector<TimeRange> ranges(steps.size(), {timeline.total, 0});
  for (const Event& e : timeline.events) {
    int homes = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const TraceSource::Step& step = steps[i];
      if (e.step != step.step || e.transfer_step != step.transfer_step || e.start < step.range.start ||
          e.end > step.range.end)
        continue;
      ++homes;
      ranges[i] = {std::min(ranges[i].start, e.start), std::max(ranges[i].end, e.end)};
    }
    EXPECT_EQ(homes, 1);
  }
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i].range, ranges[i]);
}

}  // namespace shardscope
