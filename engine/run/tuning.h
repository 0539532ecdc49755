// SPDX-License-Identifier: Apache-2.0
// What the tuner is asked and what comes of it: values that report and views read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/problem.h"
#include "engine/request/experiment.h"

namespace shardscope {

// One product of a model: Y[tokens, outputs] = X[tokens, inputs] · W[inputs, outputs].
struct ModelLayer {
  std::string name;
  int64_t inputs = 0;
  int64_t outputs = 0;
  // The layer whose result is added to this one's, "input" for the model's own; empty: nothing is added.
  std::string residual;
  bool operator==(const ModelLayer&) const = default;
};

// A chain of products, each reading the one before it.
struct TuneModel {
  std::string name;
  std::string title;
  std::string source;
  std::vector<ModelLayer> layers;
  int64_t sequence = 2048;
  std::optional<int64_t> batch;  // sequences; none: as many as chips
  int64_t tokens(int64_t chips) const { return batch.value_or(chips) * sequence; }
  bool operator==(const TuneModel&) const = default;
};

enum class TuneCost { simulate, meshslice };
const char* name(TuneCost cost);

// What a candidate does for one layer. From `strategy` on: what the simulation says of it, or, with the
// published costs, which strategy carries the dataflow out.
struct TuneLayerChoice {
  std::string layer;
  std::string dataflow;    // "OS", "LS", "RS": Y, X or W stays; empty: the strategy has none of these
  bool transpose = false;  // X is stored as its transpose
  int64_t slices = 1;
  std::string strategy;
  StrategyOptions options;
  MatmulProblem problem;
  double total_s = 0;        // the product alone
  double reshard_s = 0;      // bringing the layer before's result into the layout of this one's X
  double reshard_bytes = 0;  // received by the busiest device
  int64_t peak_bytes = 0;    // of the product alone
  bool operator==(const TuneLayerChoice&) const = default;
};

// A mesh and a choice for each layer.
struct TuneCandidate {
  Mesh mesh;
  std::vector<TuneLayerChoice> layers;
  double traffic_s = 0, latency_s = 0, pipeline_s = 0;  // sums over layers; see TuneResult::cost
  double total_s = 0;                                   // what candidates are ranked by
  int64_t peak_bytes =
      0;               // of the busiest device, the weights of all layers kept; 0 with the published costs
  bool fits = true;    // into the chip's memory
  bool front = false;  // no other candidate is faster and smaller
  bool operator==(const TuneCandidate&) const = default;
};

// simulate: traffic_s is exposed communication and resharding, pipeline_s the rest of the time, latency_s the
// part of the critical paths that is link latency. meshslice: the three sums of the published tuner.
struct TuneResult {
  TuneModel model;
  int64_t chips = 0;
  TuneCost cost = TuneCost::simulate;
  std::string hardware;
  std::optional<double> hbm_bytes;  // of a chip, when published
  std::vector<TuneCandidate> candidates;
  int32_t best = -1;                           // place in candidates; -1: none fits
  int64_t timed = 0, pruned = 0, refused = 0;  // of the layer options of all meshes
  bool complete = true;                        // false: cancelled, `candidates` are those that were done
  std::vector<std::string> ignored_options;
  std::vector<std::string> assumptions;
  bool operator==(const TuneResult&) const = default;
};

// The run that a candidate stands for in one of its layers, ready to be opened.
Experiment experiment_of(const TuneResult& result, const TuneCandidate& candidate, size_t layer);

}  // namespace shardscope
