// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

namespace shardscope::inline views {

// A logarithmic axis.
struct LogAxis {
  double from = 0, to = 1;      // powers of ten
  float start = 0, length = 1;  // pixels; negative length: upwards
  float at(double value) const {
    return start +
           static_cast<float>((std::log10(std::max(value, 1e-300)) - from) / std::max(1e-9, to - from)) *
               length;
  }
};

// The whole decades that hold [low, high].
inline LogAxis decades(double low, double high, float start, float length) {
  LogAxis axis{std::floor(std::log10(low)), std::ceil(std::log10(high)), start, length};
  if (axis.to <= axis.from) axis.to = axis.from + 1;
  return axis;
}

std::string decade_label(int power);  // "0.01", "1,000", "10⁻⁸"

}  // namespace shardscope::inline views
