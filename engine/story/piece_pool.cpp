// SPDX-License-Identifier: Apache-2.0
#include "engine/story/piece_pool.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace shardscope::inline story {
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

std::ptrdiff_t offset(size_t place) {
  return static_cast<std::ptrdiff_t>(place);
}

}  // namespace

std::vector<PieceId> PiecePool::of(const ShardPieces& pieces) {
  std::vector<PieceId> ids;
  append_ids(pieces, ids);
  return ids;
}

void PiecePool::append_ids(const ShardPieces& pieces, std::vector<PieceId>& out) {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (const ShardPiece& piece : pieces)
    if (piece.kind == ShardPiece::Kind::part) out.push_back(id_of(piece));
  std::sort(out.begin() + first, out.end());
  out.erase(std::unique(out.begin() + first, out.end()), out.end());
}

std::span<const PieceId> PiecePool::of(const ShardValue& value) {
  const auto [place, made] = known_.try_emplace(value.get());
  Remembered& ids = place->second;
  if (made) {
    kept_.push_back(value);
    ids.first = static_cast<uint32_t>(ids_.size());
    append_ids(*value, ids_);
    ids.count = static_cast<uint32_t>(ids_.size()) - ids.first;
  }
  return std::span<const PieceId>(ids_).subspan(ids.first, ids.count);
}

PieceId PiecePool::id_of(const ShardPiece& piece) {
  find_region(piece, by_dimension_, key_);
  const PieceId id = find_or_add();
  if (static_cast<size_t>(id) < pieces_.size()) return id;
  Piece& out = pieces_.emplace_back();
  out.array = piece.array;
  add_boxes(piece.base, out.index);
  if (piece.k_set >= 0) out.terms = state_.sets.ranges(piece.k_set);
  out.complete = state_.arrays.complete(piece, state_.sets);
  return id;
}

// Of `key_`; a new one is the number of pieces so far.
PieceId PiecePool::find_or_add() {
  uint64_t hash = key_.size();
  for (const int64_t k : key_)
    hash = (hash ^ static_cast<uint64_t>(k)) * 0x9E3779B97F4A7C15ULL, hash ^= hash >> 29U;
  if (2 * hashes_.size() >= slots_.size()) grow();
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
    const auto id = static_cast<size_t>(slots_[slot]);
    if (hashes_[id] == hash && std::equal(key_.begin(), key_.end(), keys_.begin() + offset(key_begins_[id]),
                                          keys_.begin() + offset(key_begins_[id + 1])))
      return slots_[slot];
  }
  const auto id = static_cast<PieceId>(hashes_.size());
  slots_[slot] = id;
  hashes_.push_back(hash);
  keys_.insert(keys_.end(), key_.begin(), key_.end());
  key_begins_.push_back(keys_.size());
  return id;
}

void PiecePool::grow() {
  slots_.assign(std::max<size_t>(1024, 2 * slots_.size()), -1);
  const size_t mask = slots_.size() - 1;
  for (size_t id = 0; id < hashes_.size(); ++id) {
    size_t slot = hashes_[id] & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<PieceId>(id);
  }
}

// The boxes of the region that was found, from `base` on, the last dimension fastest.
void PiecePool::add_boxes(const SmallVector<int64_t, 4>& base, std::vector<IndexBox>& out) {
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

bool contains(const Piece& outer, const Piece& inner) {
  if (outer.array != inner.array) return false;
  for (const IndexBox& box : inner.index) {
    int64_t common = 0;
    for (const IndexBox& other : outer.index) common += common_elements(box, other);
    if (common != elements(box)) return false;
  }
  return true;
}

std::vector<int32_t> ranks_of(const std::vector<Piece>& pieces) {
  std::vector<PieceId> order(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](PieceId id) {
    const Piece& piece = pieces[static_cast<size_t>(id)];
    return std::tie(piece.array, piece.index, piece.terms);
  };
  std::sort(order.begin(), order.end(), [&](PieceId a, PieceId b) { return key(a) < key(b); });
  std::vector<int32_t> out(pieces.size());
  int32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same =
        i > 0 && pieces[static_cast<size_t>(order[i])] == pieces[static_cast<size_t>(order[i - 1])];
    if (i > 0 && !same) ++rank;
    out[static_cast<size_t>(order[i])] = rank;
  }
  return out;
}

}  // namespace shardscope::inline story
