// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "views/scene/compare/compare.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {

// Where the parts stand. Blocks of runs may lie above or below what is seen of them.
struct CompareFrame {
  Rect ruler, runs, bars;          // the ruler and the runs without their labels
  std::vector<Rect> blocks;        // a run's head and lanes, by run
  std::vector<TimelineRows> rows;  // one row each
  float labels = 0;                // width of what stands left of the axis
  float head = 0;                  // height of a block's first line
  float overflow = 0;
  TimeAxis axis;  // the common one
};
CompareFrame compare_frame(const CompareInput& input, const CompareViewport& viewport, const Pen& pen);

// The lanes that a device uses; every device stands for it, so that the critical path is folded on them.
// `grow`: how much higher than they must be.
TimelineRows folded_rows(const ViewInput& input, int32_t device, float grow, const Pen& pen);

void draw_compare_bars(Pen& pen, const RunDifference& difference, const Rect& box, const ItemId& hovered);
float compare_bars_height(const RunDifference& difference, const Pen& pen);

// Marks what does the same as the hovered item, and the chosen operation, on the lanes of one run.
struct SameMarks {
  std::set<std::string> blocks;  // that the hovered transfer carries
  int hovered_operation = -1, chosen_operation = -1;
};
SameMarks same_marks(const CompareInput& input, const CompareViewport& viewport, const CompareMarks& marks);
void draw_same(Pen& pen, const TimelineContext& context, const RunDifference& difference, size_t run,
               const SameMarks& marks);

}  // namespace shardscope::inline views
