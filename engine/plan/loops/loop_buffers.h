// SPDX-License-Identifier: Apache-2.0
// What the works of a loop plan make, and until when that is held.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/loops/loop_plan.h"

namespace shardscope::inline planner {

// A buffer by the works that make and read it; maker -1: it is there from the start.
struct RoundBuffer {
  int32_t maker = 0;
  int64_t bytes = 0;
  bool kept = false, rooted = false;
  Needs readers;
};

std::vector<RoundBuffer> buffers_of(const LoopPlan& loops);

// Whether what rounds make is read in its round alone, or outside of it alone (one_way), or kept; or it is
// read in its round, or kept, and what else there is, outside of rounds (own_rounds).
enum class ReadBy : uint8_t { one_way, own_rounds };
bool are_read(const LoopPlan& loops, const std::vector<RoundBuffer>& buffers, ReadBy by);

// Whether a device has what others of its group do not.
inline bool is_held_by(const RoundBuffer& buffer, const LoopPlan& loops, size_t device) {
  return !buffer.rooted || loops.plan.work(buffer.maker).groups->rank_of[device] <= 0;
}

}  // namespace shardscope::inline planner
