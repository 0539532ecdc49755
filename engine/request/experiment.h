// SPDX-License-Identifier: Apache-2.0
// What is asked, as values. How each part is written, read and explained: fields.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/chip_changes.h"
#include "engine/hardware/hardware.h"
#include "engine/hardware/overrides.h"
#include "engine/hardware/placement.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/problem.h"
#include "engine/request/module_timing.h"
#include "engine/request/step_loop.h"
#include "engine/sharding/propagation_kind.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline request {

// jax: what jax.random.normal gives for two keys split from jax.random.key(seed). ramp: 0, 1, 2, …; arange:
// of floats the same, divided by its number of elements.
enum class Fill : uint8_t { integers, normal, arange, jax, ramp };
inline constexpr std::array kFills{Fill::integers, Fill::normal, Fill::arange, Fill::jax, Fill::ramp};
const char* name(Fill fill);

// What takes the time of the kernels that stand for it; the rest keeps the flat model's time.
enum class KernelTiming : uint8_t { off, dots, collectives, all };
inline constexpr std::array kKernelTimings{KernelTiming::off, KernelTiming::dots, KernelTiming::collectives,
                                           KernelTiming::all};
const char* name(KernelTiming timing);

// Cells that compared arrays are cut in, at most: smaller arrays have as many as rows and columns.
struct RegionGrid {
  int64_t rows = 8, columns = 8;
  bool operator==(const RegionGrid&) const = default;
};

// What results are compared with: "f64" (the product in f64, rounded once) or a strategy's id, whose own
// result on the same data is then the reference, as when a notebook compares two of its functions. Unset
// tolerances are the data's defaults.
inline constexpr const char* kF64Reference = "f64";
struct CheckOptions {
  std::string reference = kF64Reference;
  std::optional<double> rtol, atol;
  RegionGrid regions;
  bool operator==(const CheckOptions&) const = default;
};

// One requested run of an experiment: a strategy and its options. What is set of the rest stands for the
// experiment's; a mesh and sizes of its own only show what a notebook did wrong, and the preset says so.
struct RunRequest {
  std::string strategy;
  StrategyOptions options{};
  std::string label{};  // optional, for linked runs: "dX"
  std::optional<Mesh> mesh{};
  std::optional<MatmulProblem> problem{};
  bool chip_wraps = false;  // of its own mesh: as Experiment's
  std::optional<CollectiveAlgorithm> collective{};
  bool operator==(const RunRequest&) const = default;
};

// A value, compared and stored for undo. File format: presets/experiments/*.toml.
struct Experiment {
  std::string title;
  std::string source;                 // where it comes from: a notebook cell, a paper
  std::string notes;                  // what to look at, shown beside the results
  std::vector<std::string> warnings;  // shown with the experiment ("mixes meshes on purpose")
  std::string hardware = "tpu-v5e";   // preset name or file
  Mesh mesh;
  bool chip_wraps = false;  // nobody said which axes of `mesh` wrap: the chip decides (with_chip_wraps)
  HardwareOverrides overrides;
  AxisPlacement place;  // of axes of `mesh` within nodes and over the network
  ChipChanges chip;     // what is run is chosen on the chip as it is, and timed with these
  MatmulProblem problem;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  bool overlap = true;
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;
  KernelTiming kernels = KernelTiming::off;  // with collectives the run is in program order
  ModuleTiming module;                       // what a program leaves open: its compiler, a module's branches
  std::optional<int64_t> efficiency{};       // % of its peak that a product reaches; unset: as the chip says
  std::optional<Propagation> propagation{};  // of a module's shardings; unset: as the module came
  std::optional<Results> results{};          // of a module, where nothing is said of them; unset: as it says
  std::optional<Partitioner> partitioner{};  // of a module; unset: XLA's
  CheckOptions check;
  StepLoop loop;
  std::vector<RunRequest> runs;  // empty: every strategy
  bool operator==(const Experiment&) const = default;
};

constexpr int kMostThreads = 1024;

// How an experiment is carried out; nothing of it changes what comes out, but for what is left out.
struct ExecutionSettings {
  bool numerics = true;
  int64_t most_events = 20'000'000;  // of a run with more, only totals are kept; 0: however many there are
  int64_t repeat = 1;                // timed executions of the program
  int threads = 0;                   // 0: all
};

// One run as it was asked, with every name and default resolved. A Run holds it.
struct Request {
  Experiment experiment;  // the whole of it, as it was asked
  RunRequest asked;       // which of its runs this is
  std::string strategy;   // id, never an alias
  Mesh mesh;              // with the wraps that it is timed with
  MatmulProblem problem;
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;
};
// Where a run is carried out: its mesh with the chip's wraps and the placement that is asked for, and the
// chip with the share of its peak and the nodes that follow. Refuses what the chip or the mesh does not have.
Result<PlacedMesh> machine_of(const Experiment& experiment, const RunRequest& asked,
                              const Hardware& hardware);
// Refuses unknown strategies and impossible problems.
Result<Request> resolve(const Experiment& experiment, const RunRequest& asked, const Hardware& hardware);

}  // namespace shardscope::inline request
