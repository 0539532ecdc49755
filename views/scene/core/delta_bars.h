// SPDX-License-Identifier: Apache-2.0
// Differences of time as bars: to the left is less time, to the right more.
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/pen.h"

namespace shardscope::inline views {

// One bar of a list: its label, its length with a sign, what stands behind it.
struct DeltaBar {
  std::string label, value;
  Picoseconds length = 0;
  ItemId item{};
};

float delta_bars_height(const Pen& pen, size_t bars);
Picoseconds longest_of(const std::vector<DeltaBar>& bars);
// Below a title; `longest` is the scale, which lists of a picture share.
void draw_delta_bars(Pen& pen, const Rect& box, const std::string& title, const std::vector<DeltaBar>& bars,
                     Picoseconds longest);

}  // namespace shardscope::inline views
