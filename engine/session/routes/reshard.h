// SPDX-License-Identifier: Apache-2.0
// The ways of an array from one sharding to another: all kinds that there are, priced and proved, and beside
// them those that XLA, Shardy and DTensor take.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/session/routes/collective_times.h"
#include "engine/sharding/routes.h"

namespace shardscope::inline session {

struct ReshardQuestion {
  Mesh mesh;
  Shape shape;  // of the whole array
  SplitText from, to;
  Hardware hardware;
  size_t most = 8;  // routes
  // What is being timed, and which part of the routes; may be empty.
  std::function<void(const std::string& what, double fraction)> progress{};
};

struct RouteStep {
  std::string opcode;
  std::vector<std::string> axes;
  double bytes = 0;  // that a device sends, the mean over devices
  Picoseconds time = 0;
  std::string sharding;  // behind the step; "": nobody says it
};
struct PricedRoute {
  std::vector<RouteStep> steps;
  double bytes = 0;
  Picoseconds time = 0;  // of its collectives, one after the other
  bool proved = false;
  std::string unproved{};  // why not
};

// One of those that go the way their own way.
struct OthersRoute {
  std::optional<PricedRoute> route;
  std::string why;  // there is none
};

struct Resharded {
  Combining combining = Combining::sum;
  std::vector<PricedRoute> routes;  // the cheapest first
  std::vector<std::string> parts;   // that axes are cut in
  size_t splits = 0, steps = 0;     // that were searched
  OthersRoute xla, shardy, dtensor;
};

// Errors: a sharding that does not divide the array evenly, parts of an axis that do not nest, a maximum or
// minimum of complex numbers, a chip that does not say how fast its links are, cancelled.
Result<Resharded> reshard(const ReshardQuestion& question, const Workers& workers, std::stop_token stop);

}  // namespace shardscope::inline session
