// SPDX-License-Identifier: Apache-2.0
// What the simulating tuner may choose from: mesh shapes, and per layer the strategies with their options.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/run/tuning.h"
#include "engine/strategies/strategy.h"
#include "engine/tune/resharding.h"

namespace shardscope {

// Every rows × columns of `chips`, and all of them on one axis; axes wrap as the chip's do.
std::vector<Mesh> mesh_shapes(int64_t chips, const Hardware& hardware);

// A strategy with its options, planned for one layer on one mesh.
struct LayerOption {
  const Strategy* strategy = nullptr;
  StrategyOptions options;
  int64_t slices = 1;
  StoredArray in, out;  // arrays [tokens, features]
  int64_t weight_bytes = 0;  // of a device
  double bound_s = 0;        // no schedule is faster
};

// The options that plan, by bound, then by name; how many were refused. Stopped: those planned by then.
struct LayerOptions {
  MatmulProblem problem;
  std::vector<LayerOption> options;
  int64_t refused = 0;
};
LayerOptions layer_options(const Mesh& mesh, const MatmulProblem& problem, const Hardware& hardware,
                           std::stop_token stop);

// "OS", "LS" or "RS" for strategies whose id ends so, else empty.
std::string dataflow_of(const Strategy& strategy);

}  // namespace shardscope
