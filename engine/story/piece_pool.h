// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/story/story.h"
#include "engine/story/trace_rules.h"

namespace shardscope::inline story {

// The story's pieces: traced ones without their place in a local array, each once.
class PiecePool {
 public:
  explicit PiecePool(const TraceState& state) : state_(state) {}
  // Ids of those parts that are of an array, ascending.
  std::vector<PieceId> of(const ShardPieces& pieces);
  // The same, remembered for values that come again; until the next call.
  std::span<const PieceId> of(const ShardValue& value);
  const Piece& at(PieceId id) const { return pieces_[static_cast<size_t>(id)]; }
  std::vector<Piece>& pieces() { return pieces_; }
  bool too_big() const { return boxes_ > kMostBoxes; }

 private:
  static constexpr int64_t kMostBoxes = 400'000;
  PieceId id_of(const ShardPiece& piece);
  void append_ids(const ShardPieces& pieces, std::vector<PieceId>& out);  // each once, ascending
  void add_boxes(const SmallVector<int64_t, 4>& base, std::vector<IndexBox>& out);

  const TraceState& state_;
  // A table of ids by the hash of their keys, which lie one after the other: nothing is allocated for a piece
  // but the piece.
  PieceId find_or_add();
  void grow();
  std::vector<PieceId> slots_;         // a power of two of them, -1: empty
  std::vector<uint64_t> hashes_;       // by id
  std::vector<int64_t> keys_;          // of all pieces
  std::vector<size_t> key_begins_{0};  // by id, and the end
  // What is remembered of values: which ids of `ids_`. They are kept, so that none is another.
  struct Remembered {
    uint32_t first = 0, count = 0;
  };
  std::pmr::monotonic_buffer_resource arena_;
  std::pmr::unordered_map<const ShardPieces*, Remembered> known_{&arena_};
  std::vector<ShardValue> kept_;
  std::vector<PieceId> ids_;
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
// By piece its place in the order of array, index and terms; equal ones have one.
std::vector<int32_t> ranks_of(const std::vector<Piece>& pieces);
// Whether `outer` has every element of `inner`, which has the same array.
bool contains(const Piece& outer, const Piece& inner);

}  // namespace shardscope::inline story
