// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/busy_time.h"

namespace shardscope {

void BusyTime::add_apart(Picoseconds start, Picoseconds end, Picoseconds now) {
  if (open_.size() >= kMany) seal(now);
  open_.push_back(last_);
  auto first = std::find_if(open_.begin(), open_.end(), [&](const Span& s) { return s.end >= start; });
  auto last = first;
  for (; last != open_.end() && last->start <= end; ++last) {
    start = std::min(start, last->start);
    end = std::max(end, last->end);
  }
  open_.insert(open_.erase(first, last), Span{start, end});
  last_ = open_.back();
  open_.pop_back();
}

void BusyTime::seal(Picoseconds now) {
  // What ended before now cannot be touched again.
  auto kept = std::find_if(open_.begin(), open_.end(), [&](const Span& s) { return s.end >= now; });
  for (auto s = open_.begin(); s != kept; ++s) sealed_ += s->end - s->start;
  open_.erase(open_.begin(), kept);
}

}  // namespace shardscope
