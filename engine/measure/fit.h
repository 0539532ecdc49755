// SPDX-License-Identifier: Apache-2.0
// Parameters of a model fitted to measured times: the least sum of |log(predicted / measured)|, intervals by
// bootstrap, and which of them the points tell at all.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/measure/optimiser.h"
#include "engine/study/calibration.h"

namespace shardscope::inline measure {

// Positive; looked for by its logarithm within bounds.
struct FitParameter {
  std::string name, unit;  // as CalibratedParameter
  double preset = 0;       // that it keeps where it is not identified
  Bounds bounds;
  double start = 0;
  // Where it is not identified: its preset unless the points speak against it, or what is best together with
  // the others.
  bool keeps_preset = true;
};

struct FitTask {
  std::vector<FitParameter> parameters;
  std::vector<double> measured;  // seconds, by point
  std::vector<double> sizes;     // by point: those of like size are off by alike
  // Seconds of every point with those values; called by several threads at once.
  std::function<void(std::span<const double> values, std::span<double> seconds)> predict;
  // What unlikely values cost, as much as so much |log| of points; may be empty.
  std::function<double(std::span<const double> values)> penalty = {};
};

struct FittedParameter {
  double value = 0, low = 0, high = 0;
  bool identified = false;
};
struct Fitted {
  std::vector<FittedParameter> parameters;
  double loss = 0;  // mean |log(predicted / measured)|
};

struct FitEffort {
  int resamples = 200;
  uint64_t seed = 1;
  int64_t least_points = kLeastPoints;
  double widest = 0.25;  // half an interval, as a share of the value
};

// Fits all parameters, none of them to too few points; then, while there is one with a wide interval that
// keeps its preset, gives it to the worst and fits the others again; but one whose preset the points speak
// against is left at its best value, not identified. Intervals: the middle 95 % of refits to
// the fitted times with residuals drawn anew from points of like size, each from a start of its own by
// chance, so that what makes no difference to any point is seen by its scatter.
Result<Fitted> fit(const FitTask& task, const FitEffort& effort, const Workers& workers,
                   const std::stop_token& stop);
// The best values alone.
Result<std::vector<double>> best_values(const FitTask& task, const std::stop_token& stop);
double mean_log_error(const FitTask& task, const std::vector<double>& values);

// SplitMix64 (Steele et al., 2014).
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  double uniform();  // [0, 1)
  size_t below(size_t count) { return static_cast<size_t>(uniform() * static_cast<double>(count)); }

 private:
  uint64_t state_;
};

}  // namespace shardscope::inline measure
