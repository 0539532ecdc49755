// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

#include "engine/session/hlo_explain.h"

namespace shardscope::inline window {

// What a module costs, in the numbers that an edit is judged by.
struct HloSummary {
  int64_t collectives = 0;
  double bytes_sent = 0;  // per device
  int64_t peak_bytes = 0;
  std::optional<Picoseconds> total;
  bool operator==(const HloSummary&) const = default;
};
HloSummary summary_of(const ExplainedModule& explained);
// "collectives 3 → 1 · sent 4.0 KiB → 2.0 KiB · peak 12 KiB · time 8.1 µs → 4.2 µs": what stayed is said
// once.
QString summary_text(const HloSummary& now, const std::optional<HloSummary>& before);
// The verdict of an executed module: equal bit for bit, or where it differs.
QString proof_text(const Run& run);
// The same of numbers on so many devices, without the run's time.
QString numbers_text(const NumericsReport& numbers, int64_t devices);

}  // namespace shardscope::inline window
