// SPDX-License-Identifier: Apache-2.0
#include "engine/story/piece_pool.h"

#include <algorithm>

namespace shardscope {
namespace {

// Of each global dimension where it starts and how it goes on; array and terms before them. Both lists are
// written over: a piece is looked up for each time that it is held or carried, and mostly is there.
void find_region(const ShardPiece& piece, std::vector<StrideDigits>& by_dimension,
                 std::vector<int64_t>& key) {
  key.assign({piece.array, piece.k_set});
  by_dimension.resize(std::max(by_dimension.size(), piece.base.size()));
  for (StrideDigits& digits : by_dimension) digits.clear();
  for (const PieceDim& dim : piece.dims) {
    if (dim.global < 0) continue;
    StrideDigits& digits = by_dimension[static_cast<size_t>(dim.global)];
    digits.append(dim.digits.begin(), dim.digits.end());
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
  find_region(piece, by_dimension_, key_);
  const auto known = ids_.find(key_);
  if (known != ids_.end()) return known->second;
  const auto id = static_cast<PieceId>(pieces_.size());
  ids_.emplace(key_, id);
  Piece out;
  out.array = piece.array;
  add_boxes(piece.base, out.index);
  if (piece.k_set >= 0) out.terms = state_.sets.ranges(piece.k_set);
  out.complete = state_.arrays.complete(piece, state_.sets);
  pieces_.push_back(std::move(out));
  return id;
}

// The boxes of the region that was found, from `base` on, the last dimension fastest.
void PiecePool::add_boxes(const Few<int64_t, 4>& base, std::vector<IndexBox>& out) {
  const size_t rank = base.size();
  ranges_.resize(std::max(ranges_.size(), rank));
  size_t count = 1;
  for (size_t g = 0; g < rank; ++g) {
    double most = static_cast<double>(count);
    for (const StrideDigit& digit : by_dimension_[g])
      most *= digit.stride == 1 ? 1 : static_cast<double>(digit.extent);
    if (too_big() || most > static_cast<double>(kMostBoxes)) {
      boxes_ = kMostBoxes + 1;
      return;
    }
    ranges_[g] = visited_ranges(by_dimension_[g], base[g]);
    count *= ranges_[g].size();
    boxes_ += static_cast<int64_t>(count);
  }
  out.reserve(count);
  for (size_t n = 0; n < count; ++n) {
    IndexBox& box = out.emplace_back(rank);
    size_t left = n;
    for (size_t g = rank; g-- > 0;) {
      box[g] = ranges_[g][left % ranges_[g].size()];
      left /= ranges_[g].size();
    }
  }
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

IndexBox common_box(const IndexBox& a, const IndexBox& b) {
  IndexBox out(a.size());
  for (size_t d = 0; d < a.size(); ++d)
    out[d] = {std::max(a[d].start, b[d].start), std::min(a[d].stop, b[d].stop)};
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
