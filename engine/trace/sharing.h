// SPDX-License-Identifier: Apache-2.0
// What devices of a run have in common, so that it is stored once (schema.sql, "Sharing").
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/run/timeline.h"
#include "engine/trace/blocks/shared_number.h"

namespace shardscope::inline trace {

// Devices in groups that do the same; each group ascending, groups by their first device.
using DeviceGroups = std::vector<std::vector<int32_t>>;

// One row of the table `permutation`.
struct PermutationRow {
  int64_t id = 0;
  int32_t device = 0;
  int64_t value = 0, modulus = 1;
};

// Names each different (group, modulus, values) once. `group` numbers the set of devices; `modulus` exceeds
// every value; all values of one call are negative (and then equal) or none is.
class Permutations {
 public:
  SharedNumber encode(int64_t group, std::span<const int32_t> devices, std::span<const int64_t> values,
                      int64_t modulus);
  const std::vector<PermutationRow>& rows() const { return rows_; }

 private:
  using Key = std::pair<std::pair<int64_t, int64_t>, std::vector<int64_t>>;  // group, modulus, values
  std::map<Key, int64_t> ids_;
  std::vector<PermutationRow> rows_;
};

// One device's events on one lane: places in LaneOrder::numbers.
struct LaneStretch {
  int lane = 0;
  size_t begin = 0, end = 0;
  Picoseconds longest = 0;  // event
  bool serial = true;       // no event starts before the last one ended
};

// Numbers of a device's events, by (lane, start): how they are stored. Lanes without events are left out.
struct LaneOrder {
  std::vector<int32_t> numbers;
  std::vector<LaneStretch> lanes;
  uint64_t hash = 0;  // of its events, but for number, peer, chunk and cause
};
std::vector<LaneOrder> events_by_lane(const Timeline& timeline);
// Places of each device's buffers in Timeline::buffers.
std::vector<std::vector<int32_t>> buffers_by_device(const Timeline& timeline);

// Devices whose events are equal but for number, peer, chunk and cause.
DeviceGroups share_events(const Timeline& timeline, const std::vector<LaneOrder>& by_lane);
// Devices whose memory and buffers are equal but for the buffers' places.
DeviceGroups share_memory(const Timeline& timeline, const std::vector<std::vector<int32_t>>& buffers);

// Every device alone.
DeviceGroups share_nothing(int32_t devices);

// 1 + the largest chunk of each instruction's transfers.
std::map<int32_t, int64_t> chunk_moduli(const Timeline& timeline);

}  // namespace shardscope::inline trace
