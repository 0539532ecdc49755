// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "engine/base/units.h"

namespace shardscope {

// A piece of work that asks for a lane. Of a transfer: which one; `step` -1 is a flight that goes on (slot:
// its number). `run` -1: a compute or copy.
struct Request {
  int32_t source = 0;  // device
  int32_t work = 0;
  int32_t chunk = 0;
  int32_t run = -1;
  int32_t step = 0;
  int32_t slot = 0;

  auto order() const { return std::tuple(source, work, chunk); }
};

// Requests by (time, source, work, chunk). Equal times are common (every device of a ring does the same), so
// they share a bucket: the heap holds times, not requests.
class Calendar {
 public:
  explicit Calendar(int32_t devices) : devices_(devices) {}

  void push(Picoseconds time, const Request& request);
  bool empty() const { return heap_.empty(); }
  // Takes all requests of the earliest time, in order.
  Picoseconds pop(std::vector<Request>& batch);

 private:
  struct Entry {
    Picoseconds time;
    int32_t bucket;
    bool operator>(const Entry& o) const { return std::tie(time, bucket) > std::tie(o.time, o.bucket); }
  };
  struct Recent {
    Picoseconds time = -1;
    int32_t bucket = -1;
  };
  void sort(std::vector<Request>& batch);

  int32_t devices_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
  std::vector<std::vector<Request>> buckets_;
  std::vector<int32_t> spare_;
  Recent recent_[64];  // which bucket a time has; forgotten ones just get a second bucket
  std::vector<Request> scratch_;
  std::vector<int32_t> counts_;
};

}  // namespace shardscope
