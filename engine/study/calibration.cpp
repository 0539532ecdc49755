// SPDX-License-Identifier: Apache-2.0
#include "engine/study/calibration.h"

#include <cmath>

namespace shardscope::inline study {

double error_of(double predicted_s, double measured_s) {
  return std::abs(predicted_s / measured_s - 1);
}

}  // namespace shardscope::inline study
