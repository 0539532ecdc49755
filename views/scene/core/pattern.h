// SPDX-License-Identifier: Apache-2.0
// The marks of a RectItem's pattern, as every painter draws them.
#pragma once

#include <utility>
#include <vector>

#include "views/scene/core/scene.h"

namespace shardscope::inline views {

struct PatternMarks {
  std::vector<std::pair<Point, Point>> lines;  // 1 px wide, inside the rectangle
  std::vector<Point> dots;                     // 1 px radius
};

// Marks of neighbouring rectangles line up: they lie on one grid over the whole picture. A rectangle below 3
// px has none.
PatternMarks pattern_marks(const RectItem& item);

}  // namespace shardscope::inline views
