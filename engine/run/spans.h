// SPDX-License-Identifier: Apache-2.0
// Stretches of time, and sets of them: when something is under way.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline run {

struct TimeRange {
  Picoseconds start = 0;
  Picoseconds end = 0;
  Picoseconds length() const { return end - start; }
  auto operator<=>(const TimeRange&) const = default;
};
TimeRange hull_of(std::span<const TimeRange> ranges);  // from the first start to the last end

// A set of moments: stretches that neither overlap nor touch, ascending. What has no length adds nothing.
class Spans {
 public:
  Spans() = default;
  explicit Spans(std::vector<TimeRange> any);  // the union of stretches in any order
  // Cheapest where they come by start.
  void add(TimeRange more) {
    if (more.length() <= 0) return;
    if (spans_.empty() || more.start > spans_.back().end)
      spans_.push_back(more);
    else if (more.start >= spans_.back().start)
      spans_.back().end = std::max(spans_.back().end, more.end);
    else
      add_between(more);
  }
  // Adding it would change nothing, for sure.
  bool ends_with(TimeRange range) const {
    return !spans_.empty() && range.start >= spans_.back().start && range.end <= spans_.back().end;
  }
  void forget_before(Picoseconds time);  // what ends before it is not asked for again, and may be gone

  auto begin() const { return spans_.begin(); }
  auto end() const { return spans_.end(); }
  Picoseconds length() const;
  Picoseconds length_in(TimeRange range) const;
  Spans gaps_in(TimeRange range) const;  // what of the range is not in the set
  Spans minus(const Spans& other) const;
  bool operator==(const Spans&) const = default;

 private:
  void add_between(TimeRange more);
  std::vector<TimeRange> spans_;
};

// How much a set covers whose stretches come by start and are not kept.
struct CoveredTime {
  Picoseconds until = 0, length = 0;  // everything before is counted
  // What of it nothing before has covered.
  Picoseconds add(TimeRange more) {
    const Picoseconds fresh = std::max<Picoseconds>(0, more.end - std::max(more.start, until));
    until = std::max(until, more.end);
    length += fresh;
    return fresh;
  }
};

}  // namespace shardscope::inline run
