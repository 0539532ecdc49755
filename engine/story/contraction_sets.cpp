// SPDX-License-Identifier: Apache-2.0
#include "engine/story/contraction_sets.h"

#include <algorithm>

namespace shardscope::inline story {
namespace {

constexpr double kMaxRanges = 1e6;

// Sorted ranges with neighbours put together; true in `overlap` when two share an index.
std::vector<IndexRange> joined_ranges(std::vector<IndexRange> ranges, bool& overlap) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<IndexRange> out;
  for (const IndexRange& range : ranges) {
    if (out.empty() || range.start > out.back().stop) {
      out.push_back(range);
      continue;
    }
    overlap |= range.start < out.back().stop;
    out.back().stop = std::max(out.back().stop, range.stop);
  }
  return out;
}

}  // namespace

int ContractionSets::of_run(const StrideDigits& digits, int64_t base) {
  const auto [place, made] = runs_.try_emplace({digits, base}, -1);
  double ranges = 1;
  for (const StrideDigit& digit : digits) ranges *= digit.stride == 1 ? 1 : static_cast<double>(digit.extent);
  if (ranges > kMaxRanges) {
    too_big_ = true;
    place->second = intern({});
  } else if (made)
    place->second = intern(joined_ranges(visited_ranges(digits, base), overlapped_));
  return place->second;
}

int ContractionSets::unite(int a, int b) {
  const auto [place, made] = unions_.try_emplace(std::minmax(a, b), -1);
  if (made) {
    std::vector<IndexRange> all = *sets_[static_cast<size_t>(a)];
    const auto& more = *sets_[static_cast<size_t>(b)];
    all.insert(all.end(), more.begin(), more.end());
    place->second = intern(joined_ranges(std::move(all), overlapped_));
  }
  return place->second;
}

int ContractionSets::intern(std::vector<IndexRange> ranges) {
  int64_t size = 0;
  for (const IndexRange& range : ranges) size += range.size();
  const auto [place, made] = numbers_.try_emplace(std::move(ranges), static_cast<int>(sets_.size()));
  if (made) {
    sets_.push_back(&place->first);
    sizes_.push_back(size);
  }
  return place->second;
}

}  // namespace shardscope::inline story
