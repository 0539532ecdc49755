// SPDX-License-Identifier: Apache-2.0
// The parts of the sharding grid.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/scene/story/blocks.h"
#include "views/scene/story/held_now.h"

namespace shardscope::inline views {

struct GridContext {
  const ViewInput& input;
  const GridViewport& viewport;
  const Selection& selection;
  const Story& story;
  const HeldNow& now;
  int32_t device = -1;  // pointed at
  // How long a dimension of a size is drawn in every array; empty: each array as it likes.
  std::map<int64_t, float> lengths = {};
};

constexpr float kShortTitle = 20;         // of an array before a class, at base size
constexpr size_t kMostAccessible = 2000;  // items of one kind that a screen reader hears

// An array (place in Story::arrays) as a grid of blocks with a title, in `slot`.
void draw_grid_panel(Pen& pen, const GridContext& context, int32_t array, const Rect& slot);

// The block of a dimension beyond two that is looked at when there is no room for all: its sliders, one line
// each from `area` down. Returns the bottom of the last.
float draw_grid_sliders(Pen& pen, const std::vector<int64_t>& counts, const std::vector<int64_t>& at,
                        const Rect& area);

// One block in `rect`: who holds it, how much of it, and with which terms. Whether there was room for its
// name.
// `places`: where boxes of its array are drawn; empty: its last dimension goes to the right, the one before
// down.
using PlacesOfBox = std::function<std::vector<Rect>(const IndexBox&)>;
bool draw_grid_block(Pen& pen, const GridContext& context, std::pair<int32_t, int64_t> array_and_block,
                     const Rect& rect, const PlacesOfBox& places = {});

// Where "×2" has no room: a second edge in the corner, as of what lies in a pile.
void draw_stack_mark(Pen& pen, const Rect& box, Color color, int32_t id);

// The mesh in small: devices in their owner colours, those of the pointed block outlined.
void draw_grid_inset(Pen& pen, const GridContext& context, const Rect& area);
void draw_grid_legend(Pen& pen, const GridContext& context, const Rect& area);
// Before a class the legend has the lines that it needs.
float grid_legend_height(const Pen& pen, const GridContext& context, float width);

}  // namespace shardscope::inline views
