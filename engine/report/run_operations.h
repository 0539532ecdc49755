// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/story/story.h"
#include "engine/story/sums/operation_name.h"
#include "engine/study/difference.h"

namespace shardscope::inline report {

// What comes of a collective, or of single moves of the same blocks, whatever carries them: devices see the
// whole of an array, or the sum of what they have of it.
enum class Effect : uint8_t { none, gather, sum };

// What a run does, by what it does it to: one row an operation of difference.h.
struct RunOperation {
  std::string key;
  DotSize product{0, 0, 0, 0};  // m 0: it is none
  OperationSide side;
  Effect effect = Effect::none;
  bool single = false;       // block by block, by many instructions
  std::string array, place;  // of which array, over which axes; of an effect alone
  int64_t members = 1;       // devices along those axes
  int64_t largest_move = 0;  // bytes of its largest transfer
};

// The array whose blocks a buffer holds, by the instruction that makes it; where that is not known what makes
// it. `story` may be null.
std::string array_held_by(const Run& run, const Story* story, int32_t maker);

// `device`: whose time counts. `story`: which arrays travel; without one a collective's key has none. In the
// order in which the program has them. Empty without events. Terms of a moment in which several are under way
// are of the first of them in the program.
std::vector<RunOperation> operations_of(const Run& run, const Story* story, int32_t device);

}  // namespace shardscope::inline report
