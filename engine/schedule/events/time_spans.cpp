// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/time_spans.h"

#include <iterator>
#include <utility>

namespace shardscope {

void TimeSpans::add_apart(Picoseconds start, Picoseconds end) {
  constexpr std::ptrdiff_t kFar = 64;
  const auto near = spans_.end() - std::min(kFar, std::ssize(spans_));
  auto first = spans_.end();
  while (first != near && std::prev(first)->end >= start) --first;
  if (first == near && first != spans_.begin() && std::prev(first)->end >= start)
    return add_behind({start, end});
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

void TimeSpans::add_behind(TimeSpan span) {
  if (!behind_.empty() && span.start >= behind_.back().start && span.start <= behind_.back().end) {
    behind_.back().end = std::max(behind_.back().end, span.end);
    return;
  }
  behind_.push_back(span);
  if (behind_.size() > spans_.size()) settle();
}

void TimeSpans::settle() {
  if (behind_.empty()) return;
  std::ranges::sort(behind_);
  std::vector<TimeSpan> all;
  all.reserve(spans_.size() + behind_.size());
  std::ranges::merge(spans_, behind_, std::back_inserter(all));
  behind_.clear();
  size_t last = 0;
  for (const TimeSpan& span : all) {
    if (span.start <= all[last].end) {
      all[last].end = std::max(all[last].end, span.end);
    } else {
      all[++last] = span;
    }
  }
  all.resize(last + 1);
  spans_ = std::move(all);
}

Picoseconds TimeSpans::total() const {
  if (!behind_.empty()) {
    TimeSpans all = *this;
    all.settle();
    return all.total();
  }
  Picoseconds sum = 0;
  for (const TimeSpan& span : spans_) sum += span.end - span.start;
  return sum;
}

}  // namespace shardscope
