// SPDX-License-Identifier: Apache-2.0
#include "engine/study/tuning.h"

namespace shardscope {

const char* name(TuneCost cost) {
  return cost == TuneCost::simulate ? "simulate" : "meshslice";
}

const char* name(TuneStep step) {
  return step == TuneStep::training ? "training" : "inference";
}

const char* name(TunePass pass) {
  switch (pass) {
    case TunePass::forward:
      return "forward";
    case TunePass::data_gradient:
      return "data gradient";
    case TunePass::weight_gradient:
      return "weight gradient";
  }
  return "?";
}

Experiment experiment_of(const TuneResult& result, const TuneCandidate& candidate, size_t layer) {
  CHECK(layer < candidate.layers.size(), layer);
  const TuneLayerChoice& choice = candidate.layers[layer];
  Experiment out;
  const std::string product = choice.pass == TunePass::forward ? "" : std::string(", ") + name(choice.pass);
  out.title = result.model.name + " " + choice.layer + product + " on " + candidate.mesh.text();
  out.source = "tuner, cost " + std::string(name(result.cost));
  out.hardware = result.hardware;
  out.mesh = candidate.mesh;
  out.problem = choice.problem;
  out.runs = {{choice.strategy, choice.options, choice.layer, std::nullopt, std::nullopt}};
  return out;
}

}  // namespace shardscope
