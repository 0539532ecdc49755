// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/mesh/mesh.h"
#include "engine/program/problem.h"
#include "engine/strategies/strategy.h"

namespace shardscope {

enum class Fill { integers, normal, arange };
const char* name(Fill fill);

// One requested run of an experiment: a strategy and its options. A run may have a mesh and sizes of its own only
// to show what a notebook did wrong; then `mesh` and `problem` are set and the preset says so.
struct RunRequest {
  std::string strategy;
  StrategyOptions options;
  std::string label;  // optional, for linked runs: "dX"
  std::optional<Mesh> mesh;
  std::optional<MatmulProblem> problem;
  bool operator==(const RunRequest&) const = default;
};

// What is asked: a value, compared and stored for undo. File format: presets/experiments/*.toml.
struct Experiment {
  std::string title;
  std::string source;    // where it comes from: a notebook cell, a paper
  std::string notes;     // what to look at, shown beside the results
  std::vector<std::string> warnings;  // shown with the experiment ("mixes meshes on purpose")
  std::string hardware = "tpu-v5e";   // preset name or file
  Mesh mesh;
  MatmulProblem problem;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  bool overlap = true;
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;
  std::vector<RunRequest> runs;  // empty: every strategy
  bool operator==(const Experiment&) const = default;
};

}  // namespace shardscope
