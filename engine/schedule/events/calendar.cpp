// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/calendar.h"

namespace shardscope {

LaneRequest& Calendar::push(Picoseconds time) {
  Recent& recent = recent_[(static_cast<uint64_t>(time) * 0x9E3779B97F4A7C15ull) >> 58];
  if (recent.time != time) {
    int32_t bucket = static_cast<int32_t>(buckets_.size());
    if (spare_.empty()) {
      buckets_.emplace_back();
    } else {
      bucket = spare_.back();
      spare_.pop_back();
    }
    heap_.push({time, bucket});
    recent = {time, bucket};
  }
  return buckets_[static_cast<size_t>(recent.bucket)].emplace_back();
}

Picoseconds Calendar::pop(std::vector<LaneRequest>& batch) {
  batch.clear();
  const Picoseconds time = heap_.top().time;
  Recent& recent = recent_[(static_cast<uint64_t>(time) * 0x9E3779B97F4A7C15ull) >> 58];
  if (recent.time == time) recent = {};
  while (!heap_.empty() && heap_.top().time == time) {
    std::vector<LaneRequest>& bucket = buckets_[static_cast<size_t>(heap_.top().bucket)];
    if (batch.empty()) {
      batch.swap(bucket);
    } else {
      batch.insert(batch.end(), bucket.begin(), bucket.end());
      bucket.clear();
    }
    spare_.push_back(heap_.top().bucket);
    heap_.pop();
  }
  return time;
}

}  // namespace shardscope
