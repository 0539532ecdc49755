// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/time_spans.h"

namespace shardscope {

void TimeSpans::add_apart(Picoseconds start, Picoseconds end) {
  auto first = spans_.end();
  while (first != spans_.begin() && std::prev(first)->end >= start) --first;
  auto last = first;
  for (; last != spans_.end() && last->start <= end; ++last) {
    start = std::min(start, last->start);
    end = std::max(end, last->end);
  }
  if (first == last) {
    spans_.insert(first, {start, end});
    return;
  }
  *first = {start, end};
  spans_.erase(first + 1, last);
}

Picoseconds TimeSpans::total() const {
  Picoseconds sum = 0;
  for (const TimeSpan& span : spans_) sum += span.end - span.start;
  return sum;
}

}  // namespace shardscope
