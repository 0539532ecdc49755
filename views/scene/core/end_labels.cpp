// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/end_labels.h"

#include <algorithm>

namespace shardscope::inline views {
namespace {

void spread(std::vector<EndLabel>& labels, float least, float top, float bottom) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
  float floor = top;
  for (EndLabel& l : labels) {
    l.y = std::max(l.y, floor);
    floor = l.y + least;
  }
  float ceiling = bottom;
  for (auto l = labels.rbegin(); l != labels.rend(); ++l) {
    l->y = std::min(l->y, ceiling);
    ceiling = l->y - least;
  }
}

}  // namespace

void draw_end_labels(Pen& pen, std::vector<EndLabel> labels, float x, float right, float top, float bottom) {
  spread(labels, pen.px(16), top, bottom);
  for (const EndLabel& l : labels) {
    pen.rect({x, l.y - pen.px(4), pen.px(8), pen.px(8)}, l.color);
    pen.text({x + pen.px(13), l.y}, pen.elided(l.text, right - x - pen.px(13), 0.85F),
             {pen.theme.text, 0.85F, Align::left});
  }
}

}  // namespace shardscope::inline views
