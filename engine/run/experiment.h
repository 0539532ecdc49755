// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/overrides.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/problem.h"
#include "engine/strategies/strategy.h"

namespace shardscope {

// jax: what jax.random.normal gives for two keys split from jax.random.key(seed).
enum class Fill { integers, normal, arange, jax };
inline constexpr std::array kFills{Fill::integers, Fill::normal, Fill::arange, Fill::jax};
const char* name(Fill fill);

// What results are compared with: "f64" (the product in f64, rounded once) or a strategy's id, whose own
// result on the same data is then the reference, as when a notebook compares two of its functions. Unset
// tolerances are the data's defaults.
inline constexpr const char* kF64Reference = "f64";
struct CheckOptions {
  std::string reference = kF64Reference;
  std::optional<double> rtol, atol;
  bool operator==(const CheckOptions&) const = default;
};

// One requested run of an experiment: a strategy and its options. A run may have a mesh and sizes of its own
// only to show what a notebook did wrong; then `mesh` and `problem` are set and the preset says so.
struct RunRequest {
  std::string strategy;
  StrategyOptions options;
  std::string label;  // optional, for linked runs: "dX"
  std::optional<Mesh> mesh;
  std::optional<MatmulProblem> problem;
  bool chip_wraps = false;  // of its own mesh: as Experiment's
  bool operator==(const RunRequest&) const = default;
};

// What is asked: a value, compared and stored for undo. File format: presets/experiments/*.toml.
struct Experiment {
  std::string title;
  std::string source;                 // where it comes from: a notebook cell, a paper
  std::string notes;                  // what to look at, shown beside the results
  std::vector<std::string> warnings;  // shown with the experiment ("mixes meshes on purpose")
  std::string hardware = "tpu-v5e";   // preset name or file
  Mesh mesh;
  bool chip_wraps =
      false;  // nobody said which axes of `mesh` wrap: the chip's rule decides (with_chip_wraps)
  HardwareOverrides overrides;
  MatmulProblem problem;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  bool overlap = true;
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;
  CheckOptions check;
  std::vector<RunRequest> runs;  // empty: every strategy
  bool operator==(const Experiment&) const = default;
};

}  // namespace shardscope
