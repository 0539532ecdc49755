// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/base/units.h"

namespace shardscope {

// The length of a union of time spans that come in nearly sorted: no span starts before `now`, which never
// goes back. Memory is what overlaps the present, not all spans.
class BusyTime {
 public:
  void add(Picoseconds start, Picoseconds end, Picoseconds now) {
    if (end <= start) return;
    if (!open_.empty()) {
      Span& last = open_.back();
      if (start >= last.start && start <= last.end) {
        if (end > last.end) last.end = end;
        return;
      }
      if (start < last.start) return insert(start, end);
      if (open_.size() >= kMany) seal(now);
    }
    open_.push_back({start, end});
  }
  Picoseconds total() const {
    Picoseconds sum = sealed_;
    for (const Span& span : open_) sum += span.end - span.start;
    return sum;
  }

 private:
  static constexpr size_t kMany = 8;
  struct Span {
    Picoseconds start, end;
  };
  void insert(Picoseconds start, Picoseconds end);
  void seal(Picoseconds now);

  Picoseconds sealed_ = 0;
  std::vector<Span> open_;  // disjoint, by start
};

}  // namespace shardscope
