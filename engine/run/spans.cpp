// SPDX-License-Identifier: Apache-2.0
#include "engine/run/spans.h"

namespace shardscope::inline run {

TimeRange hull_of(std::span<const TimeRange> ranges) {
  if (ranges.empty()) return {};
  return {std::ranges::min(ranges, {}, &TimeRange::start).start,
          std::ranges::max(ranges, {}, &TimeRange::end).end};
}

Spans::Spans(std::vector<TimeRange> any) {
  std::ranges::sort(any);
  for (const TimeRange& each : any) add(each);
}

void Spans::add_between(TimeRange more) {
  const auto first = std::ranges::lower_bound(spans_, more.start, {}, &TimeRange::end);
  auto last = first;
  for (; last != spans_.end() && last->start <= more.end; ++last)
    more = {std::min(more.start, last->start), std::max(more.end, last->end)};
  spans_.insert(spans_.erase(first, last), more);
}

// Not each time: what is moved to the front is less than what goes.
void Spans::forget_before(Picoseconds time) {
  const auto kept = std::ranges::lower_bound(spans_, time, {}, &TimeRange::end);
  if ((kept - spans_.begin()) * 2 > std::ssize(spans_)) spans_.erase(spans_.begin(), kept);
}

Picoseconds Spans::length() const {
  Picoseconds out = 0;
  for (const TimeRange& each : spans_) out += each.length();
  return out;
}

Picoseconds Spans::length_in(TimeRange range) const {
  Picoseconds out = 0;
  auto at = std::ranges::lower_bound(spans_, range.start, {}, &TimeRange::end);
  for (; at != end() && at->start < range.end; ++at)
    out += std::min(range.end, at->end) - std::max(range.start, at->start);
  return out;
}

Spans Spans::gaps_in(TimeRange range) const {
  Spans out;
  auto at = std::ranges::lower_bound(spans_, range.start, {}, &TimeRange::end);
  for (; at != end() && at->start < range.end; ++at) {
    out.add({range.start, at->start});
    range.start = at->end;
  }
  out.add(range);
  return out;
}

Spans Spans::minus(const Spans& other) const {
  Spans out;
  for (const TimeRange& each : spans_)
    for (const TimeRange& gap : other.gaps_in(each)) out.add(gap);
  return out;
}

}  // namespace shardscope::inline run
