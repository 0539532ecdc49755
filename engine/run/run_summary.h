// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/run/metrics.h"
#include "engine/run/run.h"

namespace shardscope::inline run {

// A run as tables and rankings need it: a fresh Run and one in a workspace file have the same.
struct RunSummary {
  int64_t id = 0;  // the workspace's; 0: not recorded
  std::string created, title, strategy, label, mesh, hardware, status;
  RunLabel given;    // what its user says of it
  std::string link;  // "45 GB/s, 1.0 µs, torus"
  int32_t devices = 0;
  StrategyKind kind = StrategyKind::matmul;
  int64_t m = 0, k = 0, n = 0;
  std::string dtype;
  Picoseconds total = 0;
  RunNumbers numbers;  // those that the record keeps
  std::string bound;
  // Which others it is compared with as it is, and what it costs beside the rest (run_ends.h, price.h).
  std::string group, inputs, outputs, signature;
  std::optional<Picoseconds> price;
  std::string price_words;
  // What it is ranked by.
  Picoseconds priced_total() const { return total + price.value_or(0); }
  int64_t events = 0;               // that were kept
  std::optional<double> hbm_bytes;  // of the chip; none when not published
  // Whether the fullest device needs more than the chip has; false where nobody knows.
  bool exceeds_hbm() const { return hbm_bytes && numbers.get(RunMetric::peak) > *hbm_bytes; }
  bool numerics_checked() const { return numbers[RunMetric::allclose].has_value(); }
  bool numerics_differ() const { return numerics_checked() && numbers.get(RunMetric::allclose) == 0; }
  bool operator==(const RunSummary&) const = default;
};
RunSummary summary_of(const Run& run);
std::string link_words(const Hardware& hardware);

}  // namespace shardscope::inline run
