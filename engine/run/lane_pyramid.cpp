// SPDX-License-Identifier: Apache-2.0
#include "engine/run/lane_pyramid.h"

#include <algorithm>

namespace shardscope::inline run {
void BinMerger::add(const PyramidBin& bin) {
  const bool alone = bin.count == 1 && bin.end - bin.start >= width_;
  // Of a window some events between two may be left out, where events overlap; a bin has no gaps.
  if (!alone && open_ && bin.start < cell_end_ && bin.first == out_.back().first + out_.back().count) {
    PyramidBin& last = out_.back();
    last.end = std::max(last.end, bin.end);
    last.busy += bin.busy;
    last.bytes += bin.bytes;
    last.count += bin.count;
    return;
  }
  out_.push_back(bin);
  open_ = !alone;
  if (!open_) return;
  if (const Picoseconds behind = bin.start - cell_end_; behind >= 0 && behind < width_ && placed_) {
    cell_end_ += width_;  // the next cell
    return;
  }
  placed_ = true;
  const Picoseconds from_origin = bin.start - origin_;
  const Picoseconds cell = from_origin < 0 ? -ceil_div(-from_origin, width_) : from_origin / width_;
  cell_end_ = origin_ + (cell + 1) * width_;
}

std::vector<PyramidBin> event_bins(std::span<const Event> events, std::span<const int32_t> lane_order) {
  EventBins bins(lane_order.size());
  for (size_t place = 0; place < lane_order.size(); ++place) {
    prefetch_lane(events, lane_order, place);
    bins.add(events[static_cast<size_t>(lane_order[place])]);
  }
  return bins.take();
}

std::vector<PyramidLevel> build_pyramid(std::span<const PyramidBin> bins) {
  std::vector<PyramidLevel> levels;
  if (bins.size() < 64) return levels;
  const Picoseconds begin = bins.front().start;
  const Picoseconds span = std::max<Picoseconds>(1, bins.back().start - begin);
  // Cells much finer than the mean distance of events join few of them; 1/16 leaves room for bursts.
  Picoseconds width = 1;
  while (width < span / static_cast<Picoseconds>(bins.size()) / 16) width *= 4;
  std::span<const PyramidBin> finer = bins;
  for (; finer.size() >= 64 && width < span; width *= 4) {
    PyramidLevel level{width, 0, {}};
    level.bins.reserve(finer.size() / 2 + 1);
    BinMerger merger(begin, width, level.bins);
    for (size_t i = 0; i < finer.size() && level.bins.size() * 2 <= finer.size(); ++i) merger.add(finer[i]);
    if (level.bins.size() * 2 > finer.size()) continue;
    level.bins.shrink_to_fit();
    for (const PyramidBin& bin : level.bins) level.longest = std::max(level.longest, bin.end - bin.start);
    levels.push_back(std::move(level));
    finer = levels.back().bins;
  }
  return levels;
}

void merge_level(const PyramidLevel& level, bool serial, TimeRange range, BinMerger& merger) {
  const std::vector<PyramidBin>& bins = level.bins;
  const auto starts_before = [](const PyramidBin& bin, Picoseconds time) { return bin.start < time; };
  const Picoseconds reach = serial ? 0 : level.longest;
  auto bin = std::lower_bound(bins.begin(), bins.end(), range.start - reach, starts_before);
  if (serial && bin != bins.begin()) --bin;
  for (; bin != bins.end() && bin->start < range.end; ++bin)
    if (touches(range, bin->start, bin->end)) merger.add(*bin);
}

Picoseconds cell_width(TimeRange range, int pixels) {
  return std::max<Picoseconds>(1, ceil_div(range.length(), std::max(1, pixels)));
}

int level_for(std::span<const Picoseconds> level_widths, Picoseconds width) {
  const auto coarser = std::upper_bound(level_widths.begin(), level_widths.end(), width);
  return static_cast<int>(coarser - level_widths.begin()) - 1;
}

}  // namespace shardscope::inline run
