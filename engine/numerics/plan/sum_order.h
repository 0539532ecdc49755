// SPDX-License-Identifier: Apache-2.0
// In which order a collective adds up what its ranks hold: rounding, sums depend on it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline numerics {

// A stretch of what a rank has in the end: parts [first, first + count) of `of` as equal ones, and the sum
// that it is.
struct SumPiece {
  int64_t first = 0, count = 1, of = 1;
  int32_t root = 0;
  bool operator==(const SumPiece&) const = default;
};

// One addition; an operand >= 0 is the array of that rank, ~s is slot s. The target held `kept` when `sent`
// came.
struct SumOp {
  int32_t kept = 0, sent = 0, slot = 0;
};
// Leaves the sum in slot 0; without additions it is the array of rank `alone`.
struct SumProgram {
  std::vector<SumOp> ops;
  int32_t slots = 1;
  int32_t alone = -1;
};

// The sums of an all-reduce, a reduce-scatter or a reduce as trees of additions, each of every rank once.
// Ranks that have the same sums, but for the order of the two operands of an addition, share one.
class SumOrder {
 public:
  // 0, 1, … n−1, whatever the kind: nobody said by which algorithm.
  static SumOrder of_group(CollectiveKind kind, int32_t ranks);
  // As the schedule's transfers add; arrivals of one step in the order of their sources. Of more ranks than
  // kMostOrdered as of_group.
  static SumOrder of_schedule(const CollectiveSchedule& schedule);
  static constexpr int32_t kMostOrdered = 1024;

  // Of the shard of a reduce-scatter, else of the whole array; of a reduce only rank 0's are meant.
  const std::vector<SumPiece>& pieces(int32_t rank) const { return distinct_[like(rank)]; }
  // Ranks with equal numbers have the same.
  size_t like(int32_t rank) const { return of_rank_[static_cast<size_t>(rank)]; }
  SumProgram program(int32_t root) const;

 private:
  // Nodes below `ranks_` are the ranks' own arrays.
  struct Node {
    int32_t kept, sent;
    int32_t slots;  // that it takes to add it up
  };
  explicit SumOrder(int32_t ranks) : ranks_(ranks) {}
  int32_t joined(int32_t kept, int32_t sent);
  const Node& inner(int32_t node) const { return nodes_[static_cast<size_t>(node - ranks_)]; }
  int32_t slots_of(int32_t node) const { return node < ranks_ ? 0 : inner(node).slots; }
  void emit(int32_t node, int32_t slot, SumProgram& out) const;
  // A number that sums have in common which differ in the order of operands only.
  int32_t unordered(int32_t node);
  void keep(std::vector<std::vector<SumPiece>> by_rank);

  int32_t ranks_;
  std::vector<Node> nodes_;
  std::vector<int32_t> known_;  // unordered(), by inner node
  std::map<std::pair<int32_t, int32_t>, int32_t> numbers_;
  std::vector<std::vector<SumPiece>> distinct_;
  std::vector<size_t> of_rank_;
};

}  // namespace shardscope::inline numerics
