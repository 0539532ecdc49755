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

// A union of time spans that come in any order; cheap when late ones come last.
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
  const std::vector<TimeSpan>& spans() const { return spans_; }
  Picoseconds total() const;

 private:
  void add_apart(Picoseconds start, Picoseconds end);

  std::vector<TimeSpan> spans_;
};

}  // namespace shardscope
