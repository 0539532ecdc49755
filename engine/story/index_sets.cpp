// SPDX-License-Identifier: Apache-2.0
#include "engine/story/index_sets.h"

#include <algorithm>

namespace shardscope::inline story {

int64_t count_of(const IndexRanges& set) {
  int64_t count = 0;
  for (const IndexRange& range : set) count += range.size();
  return count;
}

IndexRanges united(const IndexRanges& a, const IndexRanges& b) {
  IndexRanges all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  IndexRanges out;
  for (const IndexRange& range : all) {
    if (!out.empty() && range.start <= out.back().stop) {
      out.back().stop = std::max(out.back().stop, range.stop);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

IndexRanges common(const IndexRanges& a, const IndexRanges& b) {
  IndexRanges out;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const IndexRange both{std::max(i->start, j->start), std::min(i->stop, j->stop)};
    if (both.size() > 0) out.push_back(both);
    (i->stop < j->stop) ? ++i : ++j;
  }
  return out;
}

IndexRanges without(const IndexRanges& a, const IndexRanges& b) {
  IndexRanges out;
  for (IndexRange left : a) {
    for (const IndexRange& hole : b) {
      if (hole.stop <= left.start || hole.start >= left.stop) continue;
      if (hole.start > left.start) out.push_back({left.start, hole.start});
      left.start = std::min(hole.stop, left.stop);
    }
    if (left.size() > 0) out.push_back(left);
  }
  return out;
}

bool contains(const IndexRanges& whole, const IndexRanges& part) {
  return count_of(common(whole, part)) == count_of(part);
}

int64_t elements_of(const IndexBox& box) {
  int64_t count = 1;
  for (const IndexRange& range : box) count *= range.size();
  return count;
}

int64_t elements_of(const std::vector<IndexBox>& boxes) {
  int64_t count = 0;
  for (const IndexBox& box : boxes) count += elements_of(box);
  return count;
}

bool contains_boxes(const std::vector<IndexBox>& whole, const std::vector<IndexBox>& part) {
  int64_t missing = elements_of(part);
  for (const IndexBox& a : whole) {
    for (const IndexBox& b : part) {
      if (a.size() != b.size()) continue;
      int64_t both = 1;
      for (size_t d = 0; d < a.size(); ++d)
        both *= std::max<int64_t>(0, std::min(a[d].stop, b[d].stop) - std::max(a[d].start, b[d].start));
      missing -= both;
    }
  }
  return missing == 0;
}

}  // namespace shardscope::inline story
