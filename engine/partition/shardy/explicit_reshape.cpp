// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/explicit_reshape.h"

namespace shardscope::inline partitioner {
namespace {

// Dimensions without those of size 1, and what splits them.
struct Sides {
  std::vector<int64_t> sizes;
  std::vector<AxisList> axes;
};

// One dimension becomes several: the first one is split, if it is large enough.
std::optional<std::vector<AxisList>> split_up(const Sides& from, const std::vector<int64_t>& to) {
  size_t n = 0;
  std::vector<AxisList> out;
  for (size_t d = 0; d < from.sizes.size(); ++d) {
    int64_t size = 1;
    for (bool first = true; size < from.sizes[d] || first; first = false) {
      if (n == to.size()) return std::nullopt;
      size *= to[n];
      if (first && to[n] % size_of(from.axes[d]) != 0) return std::nullopt;
      out.push_back(first ? from.axes[d] : AxisList());
      ++n;
    }
    if (size != from.sizes[d]) return std::nullopt;
  }
  return n == to.size() ? std::optional(out) : std::nullopt;
}

// Several become one: what is split stands in front.
std::optional<std::vector<AxisList>> joined_up(const Sides& from, const std::vector<int64_t>& to) {
  size_t n = 0;
  std::vector<AxisList> out;
  for (const int64_t whole : to) {
    int64_t size = 1;
    AxisList axes;
    bool behind = false;
    for (bool first = true; size < whole || first; first = false) {
      if (n == from.sizes.size()) return std::nullopt;
      size *= from.sizes[n];
      if (behind && !from.axes[n].empty()) return std::nullopt;
      behind = behind || from.axes[n].empty();
      axes.insert(axes.end(), from.axes[n].begin(), from.axes[n].end());
      ++n;
    }
    if (size != whole) return std::nullopt;
    out.push_back(std::move(axes));
  }
  return n == from.sizes.size() ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<std::vector<AxisList>> reshaped_dims(const std::vector<int64_t>& from,
                                                   const std::vector<AxisList>& axes,
                                                   const std::vector<int64_t>& to) {
  Sides of;
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == 1) continue;
    of.sizes.push_back(from[d]);
    of.axes.push_back(axes[d]);
  }
  for (const int64_t size : to)
    if (size != 1) sizes.push_back(size);
  auto made = split_up(of, sizes);
  if (!made) made = joined_up(of, sizes);
  if (!made) return std::nullopt;
  std::vector<AxisList> out(to.size());
  for (size_t d = 0, n = 0; d < to.size(); ++d)
    if (to[d] != 1) out[d] = (*made)[n++];
  return out;
}

}  // namespace shardscope::inline partitioner
