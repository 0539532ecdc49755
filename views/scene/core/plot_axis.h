// SPDX-License-Identifier: Apache-2.0
// An axis of a chart, linear or logarithmic as its values ask for.
#pragma once

#include <vector>

namespace shardscope::inline views {

struct PlotAxis {
  bool logarithmic = false;
  double from = 0, to = 1;      // values
  float start = 0, length = 1;  // pixels; negative length: upwards
  float at(double value) const;
};

// Holds [low, high], both above 0: logarithmic from 1 to 8 on, else linear from 0.
PlotAxis plot_axis(double low, double high, float start, float length);
// Round values on it, about `most` at most; `binary`: of bytes.
std::vector<double> plot_ticks(const PlotAxis& axis, int most, bool binary = false);

}  // namespace shardscope::inline views
