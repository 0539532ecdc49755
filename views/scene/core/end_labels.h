// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/pen.h"

namespace shardscope::inline views {

// A curve's name beside its end.
struct EndLabel {
  float y = 0;
  std::string text;
  Color color;
};

// Moved so that no two overlap between `top` and `bottom`, each behind a square of its colour; from `x` to
// `right`.
void draw_end_labels(Pen& pen, std::vector<EndLabel> labels, float x, float right, float top, float bottom);

}  // namespace shardscope::inline views
