// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/trace/loader.h"

namespace shardscope {

// A lane of a timeline: its rows in `event`.
struct LaneRows {
  int lane = 0;
  int64_t first = 0, count = 0;
};

// What of a run's timeline the file has: no more rows than it has room for, known before anything is
// allocated.
struct StoredParts {
  struct Device {
    int32_t timeline = 0, memory = 0;
  };
  std::vector<Device> devices;
  std::map<int32_t, std::vector<LaneRows>> lanes;  // by timeline
  int64_t events = 0, buffers = 0;                 // over all devices
};

// Puts a run's events at their numbers; there are as many as `events` has places. From blocks, or from rows
// where a run was recorded without.
Result<void> load_events(const Database& db, int64_t run, const StoredParts& parts, const EventBounds& bounds,
                         std::vector<Event>& events);

// Whether the file has blocks of events; one of an earlier version has not.
Result<bool> has_blocks(const Database& db);

}  // namespace shardscope
