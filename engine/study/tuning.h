// SPDX-License-Identifier: Apache-2.0
// What the tuner is asked and what comes of it: values that report and views read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/hardware/placement.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/problem.h"
#include "engine/request/experiment.h"

namespace shardscope::inline study {

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

// What is timed. training: of each layer the forward product and the two of its gradients; inference: the
// forward products alone.
enum class TuneStep { training, inference };
const char* name(TuneStep step);

// Which product of a layer: Y = X W, dX = dY Wᵀ or dW = Xᵀ dY.
enum class TunePass { forward, data_gradient, weight_gradient };
const char* name(TunePass pass);

// What a candidate does for one product of a layer. From `strategy` on: what the simulation says of it, or,
// with the published costs, which strategy carries the dataflow out.
struct TuneLayerChoice {
  std::string layer;
  TunePass pass = TunePass::forward;
  std::string dataflow;    // "OS", "LS", "RS": Y, X or W stays; empty: the strategy has none of these
  bool transpose = false;  // X, the product's left operand, is stored as its transpose
  int64_t slices = 1;
  std::string strategy;
  StrategyOptions options;
  MatmulProblem problem;
  double total_s = 0;  // the product alone
  // Bringing what others made to where this product reads it, and a gradient of weights to where they lie.
  double reshard_s = 0;
  double reshard_bytes = 0;  // received by the busiest device
  int64_t peak_bytes = 0;    // of the product alone
  bool operator==(const TuneLayerChoice&) const = default;
};

// Of the busiest device, all layers together. inference: weights and what the largest product needs beside
// them.
struct TuneMemory {
  int64_t weights = 0, gradients = 0;  // as the products read and make them
  int64_t optimiser = 0;               // Adam's: master weights and two moments, f32 each
  int64_t activations = 0;             // each layer's X, kept for the gradient of its weights
  int64_t working = 0;                 // the most that a product needs beside all these
  int64_t sum() const { return weights + gradients + optimiser + activations + working; }
  bool operator==(const TuneMemory&) const = default;
};

// A mesh and a choice for each product of each layer, in the order in which they run.
struct TuneCandidate {
  Mesh mesh;
  AxisPlaces places{};  // where its axes lie on several nodes
  std::vector<TuneLayerChoice> layers;
  double traffic_s = 0, latency_s = 0, pipeline_s = 0;  // sums over layers; see TuneResult::cost
  double total_s = 0;                                   // what candidates are ranked by
  TuneMemory memory;                                    // nothing with the published costs
  int64_t peak_bytes = 0;                               // its sum
  bool fits = true;                                     // into the chip's memory
  bool front = false;                                   // no other candidate is faster and smaller
  bool operator==(const TuneCandidate&) const = default;
};

// simulate: traffic_s is exposed communication and resharding, pipeline_s the rest of the time, latency_s the
// part of the critical paths that is link latency. meshslice: the three sums of the published tuner.
struct TuneResult {
  TuneModel model;
  int64_t chips = 0;
  TuneCost cost = TuneCost::simulate;
  TuneStep step = TuneStep::training;
  std::string hardware;
  AxisPlacement place;                     // that was asked for
  std::optional<double> hbm_bytes;         // of a chip, when published
  std::optional<double> peak_flops_per_s;  // likewise, of its products
  std::vector<TuneCandidate> candidates;
  int32_t best = -1;                           // place in candidates; -1: there is none
  int64_t timed = 0, pruned = 0, refused = 0;  // of the layer options of all meshes
  bool complete = true;                        // false: cancelled, `candidates` are those that were done
  std::vector<std::string> ignored_options;
  std::vector<std::string> assumptions;
  bool operator==(const TuneResult&) const = default;
};

// What of the chips' peak the candidate's products use: their flops over chips, peak and time (of a training
// step MFU, model FLOPs utilisation); none where no peak is published.
std::optional<double> utilisation(const TuneResult& result, const TuneCandidate& candidate);

// Places of the layers in which a candidate does otherwise than another one on the same layers.
std::vector<size_t> differing_layers(const TuneCandidate& candidate, const TuneCandidate& other);
// The fastest candidate on the same mesh, which it is to be told from; null: it is that.
const TuneCandidate* fastest_alike(const TuneResult& result, size_t candidate);

// The run that a candidate stands for in one of its layers, ready to be opened.
Experiment experiment_of(const TuneResult& result, const TuneCandidate& candidate, size_t layer);

}  // namespace shardscope::inline study
