// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  void add(Picoseconds start, Picoseconds end);
  // Disjoint and apart, by start.
  const std::vector<TimeSpan>& spans() const { return spans_; }
  Picoseconds total() const;

 private:
  std::vector<TimeSpan> spans_;
};

}  // namespace shardscope
