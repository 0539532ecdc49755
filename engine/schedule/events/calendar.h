// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline scheduler {

// What asks for a lane: a work or a message. Or what is to happen at its time: a lane becomes free (wake); a
// device has what works wait for from before a play (begin), what one makes (result), or what it gives to a
// collective that has been launched (operand); a message is at its target (arrival); a lockstep goes on, the
// `run`-th.
struct LaneRequest {
  enum class Kind : uint8_t { compute, transfer, wake, begin, result, operand, arrival, lockstep };
  // Since when the instruction could run on `source`: the first key of a lane's queue. A later step of a
  // collective counts from when the collective was ready, so that one that has begun is not held up by those
  // behind it. Of one collective, earlier steps go first: what a device passes on does not overtake what it
  // has to send itself, which others wait for.
  Picoseconds ready = 0;
  int32_t source = 0;  // device
  int32_t work = 0;
  int32_t chunk = 0;
  int32_t lane = 0;  // as Routes numbers them
  int32_t run = 0;   // a transfer: of which collective, which one of it,
  int32_t step = 0;
  int32_t slot = 0;
  int32_t next = 0;     // the device at the other end of the link,
  int32_t flight = -1;  // and, beyond its first link, its number in flight
  Kind kind = Kind::compute;
  bool asks() const { return kind <= Kind::wake; }  // for a lane
  // Which of two that wait for a lane it takes first.
  bool before(const LaneRequest& o) const {
    return std::tie(ready, source, work, step, chunk, slot) <
           std::tie(o.ready, o.source, o.work, o.step, o.chunk, o.slot);
  }
};

// What is to happen, by time. Equal times are common (every device of a ring does the same), so they share a
// bucket: the heap holds times, not requests.
class Calendar {
 public:
  // A new request, to be filled in at once.
  LaneRequest& push(Picoseconds time) {
    Recent& recent = recent_[place_of(time)];
    if (recent.time != time) recent = {time, new_bucket(time)};
    return buckets_[static_cast<size_t>(recent.bucket)].emplace_back();
  }
  bool empty() const { return heap_.empty(); }
  // Takes everything of the earliest time, as pushed.
  Picoseconds pop(std::vector<LaneRequest>& batch);

 private:
  struct Entry {
    Picoseconds time;
    int64_t number;  // of several of one time that which was begun first comes first
    int32_t bucket;
    bool operator>(const Entry& o) const { return std::tie(time, number) > std::tie(o.time, o.number); }
  };
  struct Recent {
    Picoseconds time = -1;
    int32_t bucket = -1;
  };

  static size_t place_of(Picoseconds time) {
    return (static_cast<uint64_t>(time) * 0x9E3779B97F4A7C15ull) >> 58;
  }
  int32_t new_bucket(Picoseconds time);

  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
  std::vector<std::vector<LaneRequest>> buckets_;
  std::vector<int32_t> spare_;
  int64_t begun_ = 0;
  Recent recent_[64];  // which bucket a time has; forgotten ones just get a second bucket
};

}  // namespace shardscope::inline scheduler
