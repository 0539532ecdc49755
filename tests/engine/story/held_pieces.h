// SPDX-License-Identifier: Apache-2.0
// What a story says of the value of each instruction, whether it takes time or not: its pieces by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>
#include <vector>

#include "engine/story/piece_pool.h"
#include "engine/story/shard_tracer.h"

namespace shardscope::story_test {

// A box of X, W or a sum, and how many of its terms are there.
struct HeldPiece {
  ArrayRole array = ArrayRole::lhs;
  IndexBox box;
  int64_t k_covered = 0;
  int64_t k_whole = 0;
  bool operator==(const HeldPiece&) const = default;
};

// How GoogleTest shows a piece: "0[8,12)[2,4) 4/16".
inline void PrintTo(const HeldPiece& piece, std::ostream* out) {
  *out << static_cast<int>(piece.array);
  for (const IndexRange& range : piece.box) *out << '[' << range.start << ',' << range.stop << ')';
  *out << ' ' << piece.k_covered << '/' << piece.k_whole;
}

class HeldPieces {
 public:
  static Result<HeldPieces> of(const Program& program) {
    TRY(TraceState state, trace_shards(program));
    HeldPieces out;
    PiecePool pool(state);
    for (const auto& devices : state.values) {
      std::vector<std::vector<HeldPiece>>& at = out.held_.emplace_back();
      for (const ShardValue& value : devices) at.push_back(boxes_of(state, pool, *value));
    }
    out.added_twice_ = !state.added_twice.empty();
    return out;
  }
  const std::vector<HeldPiece>& at(InstructionId instruction, DeviceId device) const {
    return held_[static_cast<size_t>(instruction.value)][static_cast<size_t>(device.value)];
  }
  bool added_twice() const { return added_twice_; }

 private:
  static std::vector<HeldPiece> boxes_of(const TraceState& state, PiecePool& pool, const ShardPieces& value) {
    std::vector<HeldPiece> out;
    for (const ShardPiece& traced : value) {
      for (const PieceId id : pool.of(ShardPieces{traced})) {
        const Piece& piece = pool.at(id);
        int64_t covered = 0;
        for (const IndexRange& range : piece.terms) covered += range.size();
        const int64_t whole = piece.terms.empty() ? 0 : state.arrays.at(piece.array).terms;
        const std::optional<ArrayRole> role = role_of(state, piece);
        if (!role) continue;
        for (const IndexBox& box : piece.index) out.push_back({*role, box, covered, whole});
      }
    }
    std::sort(out.begin(), out.end(), [](const HeldPiece& a, const HeldPiece& b) {
      return std::tie(a.array, a.box, a.k_covered) < std::tie(b.array, b.box, b.k_covered);
    });
    return out;
  }
  // None of arrays that are neither an input nor a sum.
  static std::optional<ArrayRole> role_of(const TraceState& state, const Piece& piece) {
    const auto input = std::find(state.inputs.begin(), state.inputs.end(), piece.array);
    if (input == state.inputs.end()) {
      if (state.arrays.at(piece.array).terms == 0) return std::nullopt;
      return ArrayRole::product;
    }
    return state.program.inputs[static_cast<size_t>(input - state.inputs.begin())].role;
  }

  std::vector<std::vector<std::vector<HeldPiece>>> held_;  // by instruction and device
  bool added_twice_ = false;
};

}  // namespace shardscope::story_test
