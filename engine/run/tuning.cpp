// SPDX-License-Identifier: Apache-2.0
#include "engine/run/tuning.h"

namespace shardscope {

const char* name(TuneCost cost) {
  return cost == TuneCost::simulate ? "simulate" : "meshslice";
}

Experiment experiment_of(const TuneResult& result, const TuneCandidate& candidate, size_t layer) {
  CHECK(layer < candidate.layers.size(), layer);
  const TuneLayerChoice& choice = candidate.layers[layer];
  Experiment out;
  out.title = result.model.name + " " + choice.layer + " on " + candidate.mesh.text();
  out.source = "tuner, cost " + std::string(name(result.cost));
  out.hardware = result.hardware;
  out.mesh = candidate.mesh;
  out.problem = choice.problem;
  out.runs = {{choice.strategy, choice.options, choice.layer, std::nullopt, std::nullopt}};
  return out;
}

}  // namespace shardscope
