// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// broadcast from rank 0 along a chain of neighbours, in segments: in step t the p-th rank of the chain passes
// on segment t-p. reduce: the sums run the other way, to rank 0.
//   up: 0, 1, …, n-1.
//   halves: the first half of the array so, the second one along 0, n-1, …, 1.
//   line: the whole array both ways, up to the last rank of the line and down to the first.
struct ChainForm {
  enum Way { up, halves, line } way = up;
  int32_t first = 0;  // line: where rank 0 stands on it
};

class ChainSchedule final : public CollectiveSchedule {
 public:
  // `segments`: of what a chain carries.
  ChainSchedule(CollectiveKind kind, ChainForm form, int32_t ranks, int32_t segments);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;

 private:
  struct Chain {
    int32_t length;  // ranks behind rank 0
    int8_t way;      // +1: 0, 1, …; -1: 0, n-1, …
    int32_t chunk;   // its first segment
  };
  static std::vector<Chain> chains(ChainForm form, int32_t ranks, int32_t segments);
  static Outline outline_of(CollectiveKind kind, ChainForm form, int32_t ranks, int32_t segments);

  std::vector<Chain> chains_;
  int32_t segments_;
};

}  // namespace shardscope::inline collectives
