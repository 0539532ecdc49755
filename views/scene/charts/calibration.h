// SPDX-License-Identifier: Apache-2.0
// How near a chip's times are to measurements, before and after a fit.
#pragma once

#include <string>
#include <vector>

#include "engine/study/calibration.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct CalibrationChoice {
  std::string group;   // of points; empty: all
  bool before = true;  // the preset's times too, pale
  bool operator==(const CalibrationChoice&) const = default;
};

// What its points are of, once each, in the order of the points: "matmul", "all-reduce 8".
std::vector<std::string> groups_of(const Calibration& calibration);

// Predicted over measured by size, both logarithmic: a panel of products by flops, one of all else by bytes.
// Beside them the mean errors of each group. Items: candidate, by place in `points`; handle, by place in
// `groups`.
Scene layout_calibration(const Calibration& calibration, const CalibrationChoice& choice,
                         const Selection& selection, const Canvas& canvas);

// Each fitted number with its interval as parts of its value, and where the preset had it. Items: candidate,
// by place in `parameters`.
Scene layout_calibrated_parameters(const Calibration& calibration, const Selection& selection,
                                   const Canvas& canvas);

// "0.78 (0.77–0.79)", "5.5 µs (5.4–5.6)", "402 GB/s", as its unit asks for.
std::string value_text(const CalibratedParameter& parameter, double value);
std::string interval_text(const CalibratedParameter& parameter);
// "12 % too long", "3 % too short": a predicted time beside the measured one.
std::string deviation_text(double predicted_s, double measured_s);
// A point in words, a line each.
std::vector<std::string> words_of(const CalibratedPoint& point);

}  // namespace shardscope::inline views
