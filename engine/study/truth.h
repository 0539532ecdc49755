// SPDX-License-Identifier: Apache-2.0
// Measured times beside what the model says, point by point and by chip and kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope::inline study {

struct TruthPoint {
  std::string id, chip, kind;  // kind: "matmul bf16, 10 GFLOP and more", "all-reduce, below 1 MiB", "module"
  double measured_s = 0;
  std::optional<double> predicted_s;  // none: see `why`
  bool fitted = false;                // the chip's numbers were fitted to it; else it is held out
  std::string why{};                  // nothing is predicted
  bool operator==(const TruthPoint&) const = default;
};

// Of the points that are predicted; errors are means of |predicted / measured − 1|.
struct TruthGroup {
  std::string chip, kind;
  int64_t n = 0, held_out = 0;
  double mean_error = 0;
  std::optional<double> held_out_error{};  // none: all were fitted to
  bool operator==(const TruthGroup&) const = default;
};

struct Truth {
  std::vector<TruthPoint> points;  // by chip, kind and id
  std::vector<TruthGroup> groups;  // by chip and kind
};

// Sorted, and summed up.
Truth truth_of(std::vector<TruthPoint> points);

}  // namespace shardscope::inline study
