// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "views/scene/compare/beside.h"
#include "views/scene/compare/compare_parts.h"

namespace shardscope::inline views {

// Where the parts stand; the lanes may lie above or below what is seen of them.
struct BesideFrame {
  Rect legend, ruler, lanes, bars;       // the lanes without their labels
  Rect simulated, measured;              // heads and lanes
  TimelineRows rows;                     // of the simulated device
  std::vector<LaneStrip> measured_rows;  // of the measured one, from below its head
  float labels = 0, head = 0, overflow = 0;
  TimeAxis axis;
};
BesideFrame beside_frame(const BesideInput& input, const BesideViewport& viewport, const Pen& pen);

// The measured lanes of the drawn device in the drawn step.
std::vector<LaneStrip> measured_strips(const BesideInput& input, float grow, const Pen& pen);
void draw_measured_lanes(Pen& pen, const BesideInput& input, const BesideFrame& frame,
                         const BesideViewport& viewport, const BesideMarks& marks);
// How measured events are painted: those of the run, and those that are no operation of it.
RectItem measured_face(const Theme& theme, Color color);
RectItem foreign_face(const Theme& theme);

// With all causes, and with all operations.
struct BarHeights {
  float least = 0, most = 0;
};
BarHeights beside_bar_heights(const BesideInput& input, const Pen& pen);
void draw_beside_bars(Pen& pen, const BesideInput& input, const Rect& box, const BesideViewport& viewport);

}  // namespace shardscope::inline views
