// SPDX-License-Identifier: Apache-2.0
// Whether the derivatives that operations bring along are those of what they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/grad/grad.h"
#include "engine/run/numerics_report.h"

namespace shardscope::inline session {

// One gradient of a module beside that by automatic differentiation of all that it calls, on drawn arguments.
struct GradientDifference {
  std::string by;
  int64_t elements = 0, other = 0;  // how many, and how many differ by more than rounding
  double most = 0;                  // the largest difference
  std::vector<int64_t> place;       // of that
  double given = 0, automatic = 0;  // there
  NumericsReport numbers{};         // all of it, region by region
  std::string text() const;         // "by w: 3 of 12 elements differ, most at [0, 1]: 1 instead of 2"
};
// Empty: no operation of the module has a derivative of its own.
Result<std::vector<GradientDifference>> check_backwards(const Program& module, const GradRequest& request,
                                                        uint64_t seed, const Workers& workers);

}  // namespace shardscope::inline session
