// SPDX-License-Identifier: Apache-2.0
// In which order a device does what a computation holds, so that collectives run beside other work.
#pragma once

#include <stop_token>
#include <vector>

#include "engine/backend/collective_links.h"
#include "engine/backend/pass.h"
#include "engine/base/result.h"

namespace shardscope::inline backend {

// Starts of collectives right behind what they send, their ends right in front of the first that reads them;
// all else stays where it is. What XLA's GPU backend does without its latency-hiding scheduler
// (gpu_hlo_schedule.cc). Places of the old order.
std::vector<size_t> early_and_late_order(const Computation& computation);

// What the latency-hiding scheduler goes by.
struct LatencyCase {
  const Program& program;
  const Computation& computation;
  std::vector<Picoseconds> times;     // by place
  std::vector<CollectiveLink> links;  // by place, of starts and ends
  // By place: links that a loop or branch needs, as it has collectives itself; bit 0 the node's, 1 the
  // network's.
  std::vector<uint8_t> inside;
  int64_t in_flight = 1;  // collectives under way at once, on each kind of link
};

// From the last instruction to the first: an end opens the time of its collective as soon as its link is
// free; then comes work that does not depend on it, first what leads to most other collectives; when its time
// is over, or nothing else is left, its start. After xla/service/latency_hiding_scheduler.cc. Errors:
// stopped.
Result<std::vector<size_t>> latency_hiding_order(const LatencyCase& c, const std::stop_token& stop);

}  // namespace shardscope::inline backend
