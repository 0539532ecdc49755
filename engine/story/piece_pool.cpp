// SPDX-License-Identifier: Apache-2.0
#include "engine/story/piece_pool.h"

#include <algorithm>

namespace shardscope {
namespace {

// Of each global dimension where it starts and how it goes on; array and terms before them.
std::vector<int64_t> region_key(const ShardPiece& piece, std::vector<StrideDigits>& by_dimension) {
  std::vector<int64_t> key = {piece.array, piece.k_set};
  by_dimension.assign(piece.base.size(), {});
  for (const PieceDim& dim : piece.dims) {
    if (dim.global < 0) continue;
    StrideDigits& digits = by_dimension[static_cast<size_t>(dim.global)];
    digits.insert(digits.end(), dim.digits.begin(), dim.digits.end());
  }
  for (size_t g = 0; g < piece.base.size(); ++g) {
    StrideDigits& digits = by_dimension[g];
    std::sort(digits.begin(), digits.end(), [](const auto& a, const auto& b) { return a.stride > b.stride; });
    normalise(digits);
    key.push_back(piece.base[g]);
    key.push_back(static_cast<int64_t>(digits.size()));
    for (const StrideDigit& digit : digits) {
      key.push_back(digit.extent);
      key.push_back(digit.stride);
    }
  }
  return key;
}

}  // namespace

std::vector<PieceId> PiecePool::of(const ShardPieces& pieces) {
  std::vector<PieceId> ids;
  for (const ShardPiece& piece : pieces)
    if (piece.kind == ShardPiece::Kind::part) ids.push_back(id_of(piece));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

const std::vector<PieceId>& PiecePool::of(const ShardValue& value) {
  const auto [place, made] = known_.try_emplace(value);
  if (made) place->second = of(*value);
  return place->second;
}

PieceId PiecePool::id_of(const ShardPiece& piece) {
  std::vector<StrideDigits> by_dimension;
  const auto [place, made] =
      ids_.try_emplace(region_key(piece, by_dimension), static_cast<PieceId>(pieces_.size()));
  if (!made) return place->second;
  Piece out;
  out.array = piece.array;
  out.index = {{}};
  for (size_t g = 0; g < piece.base.size() && !too_big(); ++g) {
    const std::vector<IndexRange> ranges = visited_ranges(by_dimension[g], piece.base[g]);
    std::vector<IndexBox> longer;
    for (const IndexBox& box : out.index) {
      for (const IndexRange& range : ranges) {
        longer.push_back(box);
        longer.back().push_back(range);
      }
    }
    boxes_ += static_cast<int64_t>(longer.size());
    out.index = std::move(longer);
  }
  if (piece.k_set >= 0) out.terms = state_.sets.ranges(piece.k_set);
  out.complete = state_.arrays.complete(piece, state_.sets);
  pieces_.push_back(std::move(out));
  return place->second;
}

int64_t elements(const IndexBox& box) {
  int64_t out = 1;
  for (const IndexRange& r : box) out *= r.size();
  return out;
}

int64_t elements(const Piece& piece) {
  int64_t out = 0;
  for (const IndexBox& box : piece.index) out += elements(box);
  return out;
}

int64_t common_elements(const IndexBox& a, const IndexBox& b) {
  int64_t out = 1;
  for (size_t d = 0; d < a.size(); ++d)
    out *= std::max<int64_t>(0, std::min(a[d].stop, b[d].stop) - std::max(a[d].start, b[d].start));
  return out;
}

bool contains(const Piece& outer, const Piece& inner) {
  if (outer.array != inner.array) return false;
  for (const IndexBox& box : inner.index) {
    int64_t common = 0;
    for (const IndexBox& other : outer.index) common += common_elements(box, other);
    if (common != elements(box)) return false;
  }
  return true;
}

}  // namespace shardscope
