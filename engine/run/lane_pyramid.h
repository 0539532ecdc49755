// SPDX-License-Identifier: Apache-2.0
// Level of detail of one lane: what is drawn when a thousand events fall into one pixel. Held in memory by
// memory_trace and stored in workspace files, bin for bin the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/run/timeline.h"
#include "engine/run/trace_source.h"

namespace shardscope::inline run {

// One event or several neighbouring ones of a lane. `first` and `count` are places in the lane's own order
// (by start). `busy` leaves out time that an earlier event of the lane covers, so sums of it count no time
// twice.
struct PyramidBin {
  Picoseconds start = 0, end = 0;
  Picoseconds busy = 0;
  int64_t bytes = 0;
  int32_t first = 0, count = 0;
  bool operator==(const PyramidBin&) const = default;
};

// Bins by start, made at a cell width in picoseconds; width 0: the events themselves, one a bin.
struct PyramidLevel {
  Picoseconds width = 0;
  Picoseconds longest = 0;  // bin
  std::vector<PyramidBin> bins;
  bool operator==(const PyramidLevel&) const = default;
};

// Joins bins that come in order of start. Those that start in the same cell, `width` long and counted from
// `origin`, become one, except that an event of a whole cell or more stays alone.
class BinMerger {
 public:
  BinMerger(Picoseconds origin, Picoseconds width, std::vector<PyramidBin>& out)
      : origin_(origin), width_(width), out_(out) {}
  void add(const PyramidBin& bin);

 private:
  Picoseconds origin_, width_;
  Picoseconds cell_end_ = 0;
  bool open_ = false;    // out_.back() may grow
  bool placed_ = false;  // cell_end_ is the end of a cell
  std::vector<PyramidBin>& out_;
};

// Makes bins of one event each; they come by start.
class EventBins {
 public:
  // `memory` is used again: what is in it goes.
  explicit EventBins(size_t events, std::vector<PyramidBin> memory = {}) : bins_(std::move(memory)) {
    bins_.clear();
    bins_.reserve(events);
  }
  void add(const Event& event) {
    const Picoseconds busy = covered_.add({event.start, event.end});
    bins_.push_back({event.start, event.end, busy, event.bytes, static_cast<int32_t>(bins_.size()), 1});
  }
  Picoseconds covered() const { return covered_.until; }
  std::vector<PyramidBin> take() { return std::move(bins_); }

 private:
  CoveredTime covered_;
  std::vector<PyramidBin> bins_;
};

// The event that is wanted some time after the one at `place` of a lane: neighbours there stand far apart in
// memory, each over two lines of the cache.
inline void prefetch_lane(std::span<const Event> events, std::span<const int32_t> lane_order, size_t place) {
  constexpr size_t kAhead = 16;
  if (place + kAhead >= lane_order.size()) return;
  const Event& event = events[static_cast<size_t>(lane_order[place + kAhead])];
  __builtin_prefetch(&event);
  __builtin_prefetch(&event.flops);
}

// The events of a lane as bins of one each.
std::vector<PyramidBin> event_bins(std::span<const Event> events, std::span<const int32_t> lane_order);

// The coarser levels over `bins`, finest first, each at most half as long as the one before it.
std::vector<PyramidLevel> build_pyramid(std::span<const PyramidBin> bins);

// Gives `merger` the bins of `level` that touch `range`. On a serial lane no event starts before the last one
// ended.
void merge_level(const PyramidLevel& level, bool serial, TimeRange range, BinMerger& merger);

// The cell width in picoseconds that `pixels` over `range` ask for.
Picoseconds cell_width(TimeRange range, int pixels);

// The place of the coarsest level that still shows cells of `width`: its own cells are no wider. -1: the
// events.
int level_for(std::span<const Picoseconds> level_widths, Picoseconds width);

// Whether [start, end) has a part in `range`; an event of no length counts where it stands.
inline bool touches(TimeRange range, Picoseconds start, Picoseconds end) {
  return start < range.end && (end > range.start || start >= range.start);
}

}  // namespace shardscope::inline run
