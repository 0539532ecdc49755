// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/run/timed_collective.h"
#include "engine/story/trace_rules.h"

namespace shardscope::inline story {

// Boxes of the elements [start, stop) of a row-major array.
std::vector<IndexBox> flat_boxes(const std::vector<int64_t>& dims, int64_t start, int64_t stop);

// Which elements of its operand a rank's chunk of a collective is, and what it holds there before anything
// travels.
class ChunkPieces {
 public:
  ChunkPieces(TraceState& state, const Instruction& instruction, const TimedCollective& timed);

  bool reduces() const;
  // The rank that has the chunk before anything travels; -1: each has its own part of the sum.
  int32_t origin(int32_t chunk) const;
  // Whether the rank keeps the chunk when all is done.
  bool ends_on(int32_t rank, int32_t chunk) const;
  // `contributed`: by rank of the group, what it brings to a sum, else its operand.
  ShardValue of(int32_t rank, int32_t chunk, const std::vector<ShardValue>& contributed) const;

 private:
  int32_t shard_of(int32_t chunk) const;  // all-to-all: the slice of the operand
  std::vector<IndexBox> find_boxes(int32_t chunk) const;

  const Instruction& i_;
  const CollectiveSchedule& schedule_;
  std::vector<int64_t> dims_;                 // of the operand
  std::vector<int32_t> part_;                 // by chunk of all but whole arrays: which of its shard's
  int32_t parts_ = 1;                         // of a shard
  std::vector<std::vector<IndexBox>> boxes_;  // by chunk, of the operand
};

}  // namespace shardscope::inline story
