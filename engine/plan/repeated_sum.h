// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace shardscope::inline planner {

// `sum`, 0 or more, after `round` (which adds numbers that are 0 or more, one by one) has been applied to it
// `times` over, to the bit and in a time that does not grow with `times`. Between two powers of two doubles
// are evenly spaced, so each addition rounds its number up or down to that spacing, always the same way but
// when it lies half way between: then the even neighbour is taken, and what the next round begins with is
// even or odd as this one's beginning was. So from the second round on each adds the same.
template <class F>
double repeated_sum(double sum, int64_t times, const F& round) {
  for (; times > 3 && std::isfinite(sum);) {
    const double first = round(sum), second = round(first), each = round(second) - second;
    sum = second + each;
    times -= 3;
    if (each == 0) return sum;
    if (std::ilogb(first) != std::ilogb(sum)) continue;
    const double top = std::ldexp(1.0, std::ilogb(sum) + 1);
    const auto below = static_cast<int64_t>(std::fmin((top - sum) / each, 0x1p53)) - 1;
    const int64_t leap = std::clamp(below, int64_t{0}, times);
    sum += each * static_cast<double>(leap);
    times -= leap;
  }
  for (; times > 0; --times) sum = round(sum);
  return sum;
}

}  // namespace shardscope::inline planner
