// SPDX-License-Identifier: Apache-2.0
// What fitting a chip to measurements came to: window, command line and reports read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"

namespace shardscope::inline study {

// A measurement beside the times that the model gives for it, with the preset's numbers and with the fitted
// ones.
struct CalibratedPoint {
  std::string id;      // as the points' file calls it
  std::string source;  // who measured it
  std::string group;   // "matmul", "all-reduce 8", "softmax"
  std::string what;    // "8192×1024×1024 f16", "64 MiB, 2 groups of 4"
  std::string note;    // as in the file
  double size = 0;     // flops of a product, bytes of everything else: how far right it stands in a picture
  double measured_s = 0, before_s = 0, after_s = 0;
  bool held_out = false;  // it was not fitted to: the chip is judged by it
  bool operator==(const CalibratedPoint&) const = default;
};
// |predicted / measured − 1|; 0.08 is 8 %.
double error_of(double predicted_s, double measured_s);

// So many points that are not held out can tell a number; with fewer it stays as it was.
inline constexpr int64_t kLeastPoints = 6;

// A number of the chip, by its key in a hardware file.
struct CalibratedParameter {
  std::string name;          // "compute.efficiency", "link.op.all-reduce.8.step_s"
  double value = 0;          // fitted; the preset's where it is not identified
  double low = 0, high = 0;  // 95 % of the bootstrap
  double before = 0;         // the preset's
  std::string unit;          // "s", "B/s", "", as the number is kept
  bool identified = false;   // enough points, and an interval of at most ±25 %
  int64_t points = 0;        // that it was fitted to
  bool operator==(const CalibratedParameter&) const = default;
};

// The mean errors of points of one kind. Without points on a side its error is 0 and its count says so.
struct CalibratedGroup {
  std::string group;  // "matmul", "all-reduce 8", "collectives ≥ 64 MiB"
  int64_t points = 0, held_out = 0;
  double train_error = 0, test_error = 0;
  double before_error = 0;  // of all its points with the preset
  double worst = 0;         // the largest error after the fit, and whose it is
  std::string worst_point;
  bool operator==(const CalibratedGroup&) const = default;
};

struct Calibration {
  std::string chip;
  Hardware before, after;
  std::vector<CalibratedParameter> parameters;
  std::vector<CalibratedGroup> groups;
  std::vector<CalibratedPoint> points;  // in the order of the file
  std::vector<std::string> left_out;    // points that no rule times, each with why
  bool operator==(const Calibration&) const = default;
};

}  // namespace shardscope::inline study
