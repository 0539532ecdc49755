// SPDX-License-Identifier: Apache-2.0
// What the simulating tuner may choose from: mesh shapes, and per product the strategies with their options.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/strategies/strategy.h"
#include "engine/study/tuning.h"
#include "engine/tune/bound.h"

namespace shardscope::inline tuner {

// Every rows × columns of `chips`, and all of them on one axis; axes wrap as the chip's do.
std::vector<Mesh> mesh_shapes(int64_t chips, const Hardware& hardware);

// Of stretches of so many like steps a sketch has a few.
inline constexpr int64_t kFewestTuned = 12;

// One array of a product on a mesh.
struct ArrayOnMesh {
  StoredArray stored;
  int64_t bytes = 0;  // of a device
};

// A strategy with its options, planned for one product Y[m,n] = X[m,k] · W[k,n] on one mesh.
struct LayerOption {
  const Strategy* strategy = nullptr;
  StrategyOptions options;
  int64_t slices = 1;
  ArrayOnMesh lhs, rhs, out;
  LeastCost least;
};

// A strategy and one way to cut its work, to be planned.
struct Variant {
  const Strategy* strategy = nullptr;
  StrategyOptions options;
};
// None when the strategy refuses, is not one product of whole arrays, or was stopped.
std::optional<LayerOption> plan_option(const Variant& variant, const Mesh& mesh, const MatmulProblem& problem,
                                       const Hardware& hardware, const std::stop_token& stop);

// The options of one product on one mesh that plan, by the time of their products alone, then in display
// order: of equally good ones the first is chosen, however tight their bounds are. How many refused, are not
// one product of whole arrays, or take more steps than a program is planned for.
struct LayerOptions {
  MatmulProblem problem;
  std::vector<LayerOption> options;
  int64_t refused = 0;
};
// One for each product. Told to stop, it is not all of them.
std::vector<LayerOptions> options_on(const Mesh& mesh, std::span<const MatmulProblem> products,
                                     const Hardware& hardware, const Workers& workers,
                                     const std::stop_token& stop);

// "OS", "LS" or "RS" for strategies whose id ends so, else empty.
std::string dataflow_of(const Strategy& strategy);

}  // namespace shardscope::inline tuner
