// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// How often the code of one loop computes what it reads: once for each way in which its members ask for other
// elements than those that they are asked for. Members are added from the loop's result back.
class LoopCode {
 public:
  static constexpr int64_t kMostTimes = 15;  // of XLA's FusionNodeIndexingEvaluation

  LoopCode(const Computation& computation, int32_t result);
  void add(const Instruction& member, int32_t place);
  // How often a member, or what a member reads, is computed. At most kMostTimes + 1.
  int64_t times(int32_t place) const;
  // Whether its code stands by itself, so that its value is not kept for who comes later.
  static bool starts_block(const Instruction& instruction);

 private:
  const Computation& computation_;
  std::map<int32_t, std::set<int32_t>>
      askers_;                        // by place: members that ask for elements of their own choice
  std::map<int32_t, int64_t> times_;  // by member
};

}  // namespace shardscope::inline backend
