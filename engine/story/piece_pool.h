// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/story/story.h"
#include "engine/story/trace_rules.h"

namespace shardscope {

// The story's pieces: traced ones without their place in a local array, each once.
class PiecePool {
 public:
  explicit PiecePool(const TraceState& state) : state_(state) {}
  // Ids of those parts that are of an array, ascending.
  std::vector<PieceId> of(const ShardPieces& pieces);
  // The same, remembered for values that come again.
  const std::vector<PieceId>& of(const ShardValue& value);
  const Piece& at(PieceId id) const { return pieces_[static_cast<size_t>(id)]; }
  std::vector<Piece>& pieces() { return pieces_; }
  bool too_big() const { return boxes_ > kMostBoxes; }

 private:
  static constexpr int64_t kMostBoxes = 400'000;
  PieceId id_of(const ShardPiece& piece);
  void add_boxes(const Few<int64_t, 4>& base, std::vector<IndexBox>& out);

  const TraceState& state_;
  struct KeyHash {
    size_t operator()(const std::vector<int64_t>& key) const {
      size_t hash = key.size();
      for (const int64_t k : key) hash = hash * 0x9E3779B97F4A7C15ULL + static_cast<size_t>(k) + (hash >> 29);
      return hash;
    }
  };
  std::unordered_map<std::vector<int64_t>, PieceId, KeyHash> ids_;
  std::unordered_map<ShardValue, std::vector<PieceId>> known_;  // keeps the values, so that none is another
  std::vector<Piece> pieces_;
  int64_t boxes_ = 0;
  // Of the piece that is looked up.
  std::vector<int64_t> key_;
  std::vector<StrideDigits> by_dimension_;
  std::vector<std::vector<IndexRange>> ranges_;
};

int64_t elements(const IndexBox& box);
int64_t elements(const Piece& piece);
int64_t common_elements(const IndexBox& a, const IndexBox& b);
IndexBox common_box(const IndexBox& a, const IndexBox& b);  // where they intersect
// Whether `outer` has every element of `inner`, which has the same array.
bool contains(const Piece& outer, const Piece& inner);

}  // namespace shardscope
