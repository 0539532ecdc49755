// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Two columns of a table as a picture. `x` has numbers only where all cells of the column are some: else the
// rows stand side by side under their texts.
struct QueryChart {
  enum class Kind { bar, line, scatter };
  struct Axis {
    std::string title, unit;  // "s", "ps", "B", "%", …
  };
  Kind kind = Kind::bar;
  Axis x_axis, y_axis;
  std::vector<std::string> labels;  // of x, by row
  std::vector<double> x;            // empty: texts
  std::vector<double> y;            // NaN: no value, a gap
};
// Candidate i is row i. Says why where there is nothing to draw.
Scene layout_query_chart(const QueryChart& chart, const Selection& selection, const Canvas& canvas);

// "12.0 µs" of 1.2e-5 s; of an unknown unit as it is with the unit behind.
std::string value_words(double value, const std::string& unit);

}  // namespace shardscope::inline views
