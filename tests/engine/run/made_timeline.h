// SPDX-License-Identifier: Apache-2.0
// Runs made by rule, to test where views read events from.
#pragma once

#include <algorithm>
#include <random>

#include "engine/run/run.h"

namespace shardscope {

// `count` events on each lane of each device, one after another with gaps, of lengths between 1 ps and 1 µs.
// `overlapping` lets some of them begin before the last one ended.
inline Timeline made_timeline(int devices, int lanes, int count, uint32_t seed, bool overlapping = false) {
  Timeline timeline;
  timeline.devices = devices;
  for (int lane = 0; lane < lanes; ++lane)
    timeline.lanes.push_back(
        {lane == 0 ? LaneKind::compute : LaneKind::link, lane - 1, 1, "lane" + std::to_string(lane)});
  std::mt19937_64 random(seed);
  for (int device = 0; device < devices; ++device) {
    for (int lane = 0; lane < lanes; ++lane) {
      Picoseconds time = static_cast<Picoseconds>(random() % 1000);
      for (int i = 0; i < count; ++i) {
        Event event;
        event.device = device;
        event.lane = static_cast<int16_t>(lane);
        event.kind = lane == 0 ? EventKind::compute : EventKind::transfer;
        event.start = time;
        event.end = time + 1 + static_cast<Picoseconds>(random() % (random() % 20 == 0 ? 1'000'000 : 1000));
        event.instruction = i % 3;
        event.step = i / 10;
        event.transfer_step = lane == 0 ? -1 : i % 4;
        event.bytes = static_cast<int64_t>(random() % 4096);
        event.flops = lane == 0 ? 2.5 * static_cast<double>(event.bytes) : 0;
        event.peer = lane == 0 ? -1 : static_cast<int32_t>(random() % static_cast<uint64_t>(devices));
        event.chunk = lane == 0 ? -1 : i % 5;
        event.chunk_count = lane == 0 ? 0 : 1;
        time = overlapping && random() % 3 == 0 ? event.start + 1
                                                : event.end + static_cast<Picoseconds>(random() % 200);
        timeline.events.push_back(event);
      }
    }
  }
  std::stable_sort(timeline.events.begin(), timeline.events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.start, a.device, a.lane) < std::tie(b.start, b.device, b.lane);
  });
  for (size_t i = 0; i < timeline.events.size(); ++i) {
    timeline.total = std::max(timeline.total, timeline.events[i].end);
    timeline.events[i].cause = i == 0 ? -1 : static_cast<int32_t>(random() % i);
    if (i % 97 == 0) timeline.critical_path.events.push_back(static_cast<int32_t>(i));
  }
  timeline.event_count = static_cast<int64_t>(timeline.events.size());
  timeline.totals.resize(static_cast<size_t>(devices));
  return timeline;
}

}  // namespace shardscope
