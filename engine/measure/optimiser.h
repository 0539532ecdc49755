// SPDX-License-Identifier: Apache-2.0
// The one door to NLopt.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline measure {

struct Bounds {
  double low = 0, high = 0;
};
struct Minimum {
  std::vector<double> at;
  double value = 0;
};

// A lowest place of a function from `start` on within bounds, by values alone, begun again from where it
// ended until that gains nothing more, at most `evaluations` calls in all. Same input, same bits. Error: told
// to stop.
//   smooth: quadratic models in a trust region (M. J. D. Powell's BOBYQA, 2009), follows a narrow valley to
//   its end kinks: Rowan's subplex, for sums of absolute values
enum class Surface { smooth, kinks };
Result<Minimum> minimise(Surface surface, const std::function<double(const std::vector<double>&)>& function,
                         std::vector<double> start, const std::vector<Bounds>& bounds, int evaluations,
                         const std::stop_token& stop);

}  // namespace shardscope::inline measure
