// SPDX-License-Identifier: Apache-2.0
// What the signs of a picture mean. A view says which it draws (Pen::mark); its legend lists these alone.
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/pen.h"

namespace shardscope::inline views {

struct LegendEntry {
  Mark mark;
  int32_t index = 0;                  // which of several of one mark
  std::vector<std::string> wordings;  // the longest first
  RectItem sample = {};               // what is drawn, wherever it stands
  LineItem stroke = {};               // with points: a line, not a box
};

// Those that are on the picture.
std::vector<LegendEntry> marked(const Pen& pen, std::vector<LegendEntry> entries);
// The sign in `box`; a screen reader hears "legend: ...".
void draw_legend_sign(Pen& pen, const LegendEntry& entry, const Rect& box);
// What the entries take on one line in their longest words.
float legend_width(const Pen& pen, const std::vector<LegendEntry>& entries, float size = 0.85F);
// On one line, in as long words as let all of them stand there. Gives where it ends.
float draw_legend_line(Pen& pen, const std::vector<LegendEntry>& entries, const Rect& line,
                       float size = 0.85F);

// In as many lines as they need, in their shortest words, or in longer ones where that takes no more lines.
float legend_lines_height(const Pen& pen, const std::vector<LegendEntry>& entries, float width);
void draw_legend_lines(Pen& pen, const std::vector<LegendEntry>& entries, const Rect& area);

}  // namespace shardscope::inline views
