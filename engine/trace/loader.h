// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "engine/run/run.h"
#include "engine/trace/blocks/event_block.h"
#include "engine/trace/sharing.h"
#include "engine/trace/sql/database.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline trace {

// What the permutations of a run say for one device: permutation id -> (value, modulus).
class DevicePermutations {
 public:
  static Result<DevicePermutations> read(const Database& db, int64_t run, int32_t device);
  // The number whose offset and permutation stand in columns c and c + 1 of `row`; -1 in a damaged file.
  int64_t number(const Statement& row, int c) const {
    return row.is_null(c + 1) ? row.integer(c) : number(row.integer(c), row.integer(c + 1));
  }
  int64_t number(const SharedNumber& shared) const {
    return shared.permutation ? number(shared.offset, *shared.permutation) : shared.offset;
  }
  int64_t number(int64_t offset, int64_t permutation) const;  // permutation -1: none

 private:
  std::unordered_map<int64_t, std::pair<int64_t, int64_t>> values_;
};

// What no event of a run exceeds; a damaged file may say anything.
struct EventBounds {
  int32_t devices = 0;
  int64_t events = 0;  // kept
  int64_t instructions = 0;
  Picoseconds total = 0;
};

// What of an event differs from device to device, for one of them.
struct EventPeers {
  int64_t peer = -1, chunk = -1, cause = -1;
};
// Fills in the rest of an event of that device; false: it is damaged.
bool complete(Event& event, int32_t device, int lane, const EventPeers& peers, const EventBounds& bounds);

Error damaged_run(const Database& db, int64_t id, const std::string& what);

// A finished run without its events and its memory over time.
Result<RunPtr> load_outline(const Database& db, int64_t id);
// A finished run, equal to the recorded one.
Result<RunPtr> load_run(const Database& db, int64_t id, const Loading& loading);

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

// Puts a run's events at their numbers; there are as many as `events` has places.
Result<void> load_events(const Database& db, int64_t run, const StoredParts& parts, const EventBounds& bounds,
                         const Loading& loading, std::vector<Event>& events);

}  // namespace shardscope::inline trace
