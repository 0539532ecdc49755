// SPDX-License-Identifier: Apache-2.0
// How the members of a collective's groups share its array in chunks, and what a transfer of it carries.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/timeline.h"
#include "views/scene/story/blocks.h"

namespace shardscope {

class CollectiveChunks {
 public:
  // By the schedule that was timed; none for permutes, ragged exchanges and what is no collective.
  static std::optional<CollectiveChunks> make(const ViewInput& input, int32_t global_index);

  CollectiveKind kind() const { return schedule().kind(); }
  int64_t chunks() const { return schedule().chunks(); }
  bool reduces() const {
    return kind() == CollectiveKind::reduce_scatter || kind() == CollectiveKind::all_reduce ||
           kind() == CollectiveKind::reduce;
  }
  // The member of `device`'s group whose shard the chunk is a part of (broadcast, reduce: the root).
  int32_t owner(int32_t device, int64_t chunk) const;
  // The pieces that a chunk brings to `device`'s group; of a reduction as one device's own part of the sum.
  std::vector<HeldPiece> pieces(int32_t device, int64_t chunk) const;
  // Whether the receiver of a transfer adds it to its own sum; else it keeps it.
  bool adds(const Event& transfer) const;

 private:
  CollectiveChunks(const ViewInput& input, const Instruction& instruction, const TimedCollective& timed)
      : input_(input), i_(instruction), timed_(timed) {}

  const CollectiveSchedule& schedule() const { return *timed_.schedule; }
  int32_t group_of(int32_t device) const;  // -1: it takes no part
  // Which of its rank's chunks it is, and of how many.
  int64_t part(int64_t chunk) const;
  int64_t parts() const;

  const ViewInput& input_;
  const Instruction& i_;
  const TimedCollective& timed_;
  std::vector<int32_t> part_;  // by chunk of a gather or scatter
};

// What a transfer brings, in the words of the blocks of X, W and Y.
struct CarriedWords {
  std::string label;  // "w5"; the chunk's number when that is not known
  std::string text;   // "half of w5", "block 7"
  int32_t owner = 0;  // the device whose colour it wears
  ArrayRole array = ArrayRole::lhs;
};

class CarriedBlocks {
 public:
  explicit CarriedBlocks(const ViewInput& input);
  CarriedWords of(const Event& transfer);
  const std::vector<BlockedArray>& arrays() const { return arrays_; }

 private:
  std::vector<HeldPiece> pieces_of(const Event& transfer, int32_t* owner);

  const ViewInput& input_;
  std::vector<BlockedArray> arrays_;
  std::vector<std::vector<IndexBox>> boxes_;                   // by array and block
  std::map<int32_t, std::optional<CollectiveChunks>> chunks_;  // by instruction
};

// "a0–a3", "w1 w5": names of blocks, runs of three and more drawn together.
std::string block_names(const BlockedArray& array, const std::vector<int64_t>& blocks);

}  // namespace shardscope
