// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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
  const Piece& at(PieceId id) const { return pieces_[static_cast<size_t>(id)]; }
  std::vector<Piece>& pieces() { return pieces_; }
  bool too_big() const { return boxes_ > kMostBoxes; }

 private:
  static constexpr int64_t kMostBoxes = 400'000;
  PieceId id_of(const ShardPiece& piece);

  const TraceState& state_;
  std::map<std::vector<int64_t>, PieceId> ids_;
  std::vector<Piece> pieces_;
  int64_t boxes_ = 0;
};

int64_t elements(const IndexBox& box);
int64_t elements(const Piece& piece);
int64_t common_elements(const IndexBox& a, const IndexBox& b);
// Whether `outer` has every element of `inner`, which has the same array.
bool contains(const Piece& outer, const Piece& inner);

}  // namespace shardscope
