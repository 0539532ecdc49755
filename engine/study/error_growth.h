// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope::inline study {

struct GrowthPoint {
  int64_t k = 0;     // terms of the sum
  double error = 0;  // measured: RMS error over √k, the size of the sum
  double law = 0;    // what theory says for it
  bool operator==(const GrowthPoint&) const = default;
};

// One way to add up k products.
struct GrowthCurve {
  std::string id;      // "bf16_acc_every_term"
  std::string title;   // "bf16, every term"
  std::string law;     // "u·√(k/2)"
  std::string family;  // what it differs from only by a number of partial sums: one colour
  std::vector<GrowthPoint> points;
  bool operator==(const GrowthCurve&) const = default;
};

// How the error of a dot product of N(0,1) values grows with its length, by where its sums are rounded.
struct ErrorGrowth {
  uint64_t seed = 0;
  int64_t samples = 0;  // dot products per point
  std::vector<GrowthCurve> curves;
  bool operator==(const ErrorGrowth&) const = default;
};

}  // namespace shardscope::inline study
