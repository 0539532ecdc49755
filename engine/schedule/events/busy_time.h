// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "engine/base/units.h"

namespace shardscope {

// The length of a union of time spans that come in nearly sorted: no span starts before `now`, which never
// goes back. Memory is what overlaps the present, not all spans.
class BusyTime {
 public:
  // Adding the span would change nothing, for sure.
  bool covers(Picoseconds start, Picoseconds end) const { return start >= last_.start && end <= last_.end; }
  void add(Picoseconds start, Picoseconds end, Picoseconds now) {
    if (start >= last_.start && start <= last_.end) {
      last_.end = std::max(last_.end, end);
    } else if (end > start) {
      add_apart(start, end, now);
    }
  }
  Picoseconds total() const {
    Picoseconds sum = sealed_ + last_.end - last_.start;
    for (const Span& span : open_) sum += span.end - span.start;
    return sum;
  }

 private:
  static constexpr size_t kMany = 8;
  struct Span {
    Picoseconds start = 0, end = 0;
  };
  void add_apart(Picoseconds start, Picoseconds end, Picoseconds now);
  void seal(Picoseconds now);

  Picoseconds sealed_ = 0;
  Span last_;
  std::vector<Span> open_;  // disjoint, by start, all before last_
};

}  // namespace shardscope
