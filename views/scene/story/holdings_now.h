// SPDX-License-Identifier: Apache-2.0
// Which parts of X, W and Y each device holds at a moment.
#pragma once

#include "views/scene/core/layouts.h"

namespace shardscope {

struct HoldingsNow {
  bool exact = true;  // false: too many events to follow; only inputs and, at the end, the result
  std::vector<std::vector<HeldPiece>> devices;  // none contained in another
};

// Values of instructions that are finished and still read later, and the chunks of a running all-gather that
// have arrived. Without traced holdings: what the shardings of inputs and output say.
HoldingsNow holdings_now(const ViewInput& input, Picoseconds time);

// How much of `box` the pieces of one array cover, 0 to 1; and of its contraction (the most of any piece on
// it).
struct BoxCover {
  double area = 0;
  int64_t k_covered = 0, k_whole = 0;
};
BoxCover cover(const std::vector<HeldPiece>& pieces, ArrayRole array, const IndexBox& box);

}  // namespace shardscope
