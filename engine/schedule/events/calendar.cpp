// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/calendar.h"

namespace shardscope::inline scheduler {

int32_t Calendar::new_bucket(Picoseconds time) {
  int32_t bucket = static_cast<int32_t>(buckets_.size());
  if (spare_.empty()) {
    buckets_.emplace_back();
  } else {
    bucket = spare_.back();
    spare_.pop_back();
  }
  heap_.push({time, begun_++, bucket});
  return bucket;
}

Picoseconds Calendar::pop(std::vector<LaneRequest>& batch) {
  batch.clear();
  const Picoseconds time = heap_.top().time;
  Recent& recent = recent_[place_of(time)];
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

}  // namespace shardscope::inline scheduler
