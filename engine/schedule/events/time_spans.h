// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "engine/base/units.h"

namespace shardscope {

struct TimeSpan {
  Picoseconds start = 0, end = 0;
  auto operator<=>(const TimeSpan&) const = default;
};

// A union of time spans that come in any order; cheapest when late ones come last. Those that come far behind
// wait until they are as many as it is worth to go through all.
class TimeSpans {
 public:
  // Adding the span would change nothing, for sure.
  bool covers(Picoseconds start, Picoseconds end) const {
    return !spans_.empty() && start >= spans_.back().start && end <= spans_.back().end;
  }
  void add(Picoseconds start, Picoseconds end) {
    if (!spans_.empty() && start >= spans_.back().start && start <= spans_.back().end) {
      spans_.back().end = std::max(spans_.back().end, end);
    } else if (end > start) {
      add_apart(start, end);
    }
  }
  // Disjoint and apart, by start.
  const std::vector<TimeSpan>& spans() {
    settle();
    return spans_;
  }
  Picoseconds total() const;

 private:
  void add_apart(Picoseconds start, Picoseconds end);
  void add_behind(TimeSpan span);
  void settle();

  std::vector<TimeSpan> spans_;   // disjoint and apart, by start;
  std::vector<TimeSpan> behind_;  // of the union too, in any order
};

}  // namespace shardscope
