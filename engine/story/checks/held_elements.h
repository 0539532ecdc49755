// SPDX-License-Identifier: Apache-2.0
// Pieces asked by element.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/story/index_sets.h"
#include "engine/story/story.h"

namespace shardscope::inline story {

inline bool in(const std::vector<int64_t>& element, const IndexBox& box) {
  if (element.size() != box.size()) return false;
  for (size_t d = 0; d < box.size(); ++d)
    if (element[d] < box[d].start || element[d] >= box[d].stop) return false;
  return true;
}
inline bool in(const std::vector<int64_t>& element, const Piece& piece) {
  for (const IndexBox& box : piece.index)
    if (in(element, box)) return true;
  return false;
}
inline std::vector<int64_t> lowest(const IndexBox& box) {
  std::vector<int64_t> out;
  for (const IndexRange& r : box) out.push_back(r.start);
  return out;
}

// The terms of an element in all of `pieces`.
inline IndexRanges terms_at(const Story& story, const std::vector<PieceId>& pieces, int32_t array,
                            const std::vector<int64_t>& element) {
  IndexRanges out;
  for (const PieceId id : pieces) {
    const Piece& p = story.piece(id);
    if (p.array == array && !p.terms.empty() && in(element, p)) out = united(out, p.terms);
  }
  return out;
}

// What is in `part` and not in `whole`; boxes of `whole` may overlap.
inline std::vector<IndexBox> missing(std::vector<IndexBox> part, const std::vector<IndexBox>& whole) {
  for (const IndexBox& hole : whole) {
    std::vector<IndexBox> left;
    for (IndexBox box : part) {
      bool apart = box.size() != hole.size();
      for (size_t d = 0; d < box.size() && !apart; ++d)
        apart = hole[d].stop <= box[d].start || hole[d].start >= box[d].stop;
      if (apart) {
        left.push_back(box);
        continue;
      }
      for (size_t d = 0; d < box.size(); ++d) {
        IndexBox below = box;
        IndexBox above = box;
        below[d].stop = hole[d].start;
        above[d].start = hole[d].stop;
        if (below[d].size() > 0) left.push_back(below);
        if (above[d].size() > 0) left.push_back(above);
        box[d] = {std::max(box[d].start, hole[d].start), std::min(box[d].stop, hole[d].stop)};
      }
    }
    part = std::move(left);
  }
  return part;
}

}  // namespace shardscope::inline story
