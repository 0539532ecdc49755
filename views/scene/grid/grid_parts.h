// SPDX-License-Identifier: Apache-2.0
// The parts of the sharding grid.
#pragma once

#include "views/scene/story/blocks.h"
#include "views/scene/story/holdings_now.h"

namespace shardscope {

struct GridContext {
  const ViewInput& input;
  const GridViewport& viewport;
  const Selection& selection;
  std::vector<BlockedArray> arrays;
  HoldingsNow now;
  int64_t parts = 1;
  int32_t device = -1;  // pointed at
};

constexpr size_t kMostAccessible = 2000;  // items of one kind that a screen reader hears

// Array number `array` as a grid of blocks with a title, in `slot`.
void draw_grid_panel(Pen& pen, const GridContext& context, int array, const Rect& slot);
// The mesh in small: devices in their owner colours, those of the pointed block outlined.
void draw_grid_inset(Pen& pen, const GridContext& context, const Rect& area);
void draw_grid_legend(Pen& pen, const GridContext& context, const Rect& area);

}  // namespace shardscope
