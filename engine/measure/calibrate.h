// SPDX-License-Identifier: Apache-2.0
// A chip's numbers fitted to measurements of single operations, judged by those that were not fitted to.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/measure/points.h"
#include "engine/study/calibration.h"

namespace shardscope::inline measure {

struct CalibrateRequest {
  Hardware preset;
  std::vector<MeasuredPoint> points;  // of any chips; those of the preset's name are taken
  double holdout = 0.5;               // the share of each group that is held out, at most 0.9
  uint64_t seed = 1;
  int resamples = 200;  // of the bootstrap
  std::string date;     // for the chip's [calibration]
};

struct CalibrateExecution {
  int threads = 0;
  std::function<void(const std::string& what, double fraction)> progress;  // may be empty
};

// Error: a share of points that cannot be held out, less than 0 or more than 0.9.
Result<void> check_holdout(double share);

// Same request, same bits, on any number of threads. Errors: no point is the chip's, holdout out of range, a
// number of the chip that the points need is not published, cancelled.
Result<Calibration> calibrate(const CalibrateRequest& request, const CalibrateExecution& execution,
                              const std::stop_token& stop);

}  // namespace shardscope::inline measure
