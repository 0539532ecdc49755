// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/calendar.h"

#include <algorithm>

namespace shardscope {

void Calendar::push(Picoseconds time, const Request& request) {
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
  buckets_[static_cast<size_t>(recent.bucket)].push_back(request);
}

Picoseconds Calendar::pop(std::vector<Request>& batch) {
  batch.clear();
  const Picoseconds time = heap_.top().time;
  Recent& recent = recent_[(static_cast<uint64_t>(time) * 0x9E3779B97F4A7C15ull) >> 58];
  if (recent.time == time) recent = {};
  while (!heap_.empty() && heap_.top().time == time) {
    std::vector<Request>& bucket = buckets_[static_cast<size_t>(heap_.top().bucket)];
    if (batch.empty()) {
      batch.swap(bucket);
    } else {
      batch.insert(batch.end(), bucket.begin(), bucket.end());
      bucket.clear();
    }
    spare_.push_back(heap_.top().bucket);
    heap_.pop();
  }
  sort(batch);
  return time;
}

void Calendar::sort(std::vector<Request>& batch) {
  const auto before = [](const Request& a, const Request& b) { return a.order() < b.order(); };
  if (std::is_sorted(batch.begin(), batch.end(), before)) return;
  if (batch.size() < 64 || batch.size() < static_cast<size_t>(devices_) / 4) {
    std::sort(batch.begin(), batch.end(), before);
    return;
  }
  // Most devices take part: count by source, then put the few of one source in order.
  counts_.assign(static_cast<size_t>(devices_) + 1, 0);
  for (const Request& r : batch) ++counts_[static_cast<size_t>(r.source) + 1];
  for (size_t d = 0; d < static_cast<size_t>(devices_); ++d) counts_[d + 1] += counts_[d];
  scratch_.resize(batch.size());
  for (const Request& r : batch) scratch_[static_cast<size_t>(counts_[static_cast<size_t>(r.source)]++)] = r;
  batch.swap(scratch_);
  for (size_t first = 0; first < batch.size();) {
    size_t last = first + 1;
    while (last < batch.size() && batch[last].source == batch[first].source) ++last;
    if (last - first > 1) {
      std::sort(batch.begin() + static_cast<std::ptrdiff_t>(first),
                batch.begin() + static_cast<std::ptrdiff_t>(last), before);
    }
    first = last;
  }
}

}  // namespace shardscope
