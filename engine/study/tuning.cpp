// SPDX-License-Identifier: Apache-2.0
#include "engine/study/tuning.h"

#include <algorithm>
#include <tuple>

namespace shardscope::inline study {

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

std::optional<double> utilisation(const TuneResult& result, const TuneCandidate& candidate) {
  if (!result.peak_flops_per_s || candidate.total_s <= 0) return std::nullopt;
  double flops = 0;
  for (const TuneLayerChoice& layer : candidate.layers)
    flops += 2.0 * static_cast<double>(layer.problem.m) * static_cast<double>(layer.problem.k) *
             static_cast<double>(layer.problem.n);
  return flops / (static_cast<double>(result.chips) * *result.peak_flops_per_s * candidate.total_s);
}

std::vector<size_t> differing_layers(const TuneCandidate& candidate, const TuneCandidate& other) {
  std::vector<size_t> out;
  const auto way = [](const TuneLayerChoice& l) {
    return std::tuple(l.strategy, l.dataflow, l.transpose, l.slices, l.options.block);
  };
  for (size_t l = 0; l < std::min(candidate.layers.size(), other.layers.size()); ++l)
    if (way(candidate.layers[l]) != way(other.layers[l])) out.push_back(l);
  return out;
}

const TuneCandidate* fastest_alike(const TuneResult& result, size_t candidate) {
  const TuneCandidate& own = result.candidates[candidate];
  const TuneCandidate* out = nullptr;
  for (const TuneCandidate& other : result.candidates) {
    const bool before = other.total_s < own.total_s || (other.total_s == own.total_s && &other < &own);
    if (other.mesh == own.mesh && before && (out == nullptr || other.total_s < out->total_s)) out = &other;
  }
  return out;
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
  out.place = result.place;
  // The order of its devices is what the placement makes.
  if (!out.place.empty()) out.mesh = Mesh::make(candidate.mesh.axes()).value();
  out.problem = choice.problem;
  out.runs = {{choice.strategy, choice.options, choice.layer, std::nullopt, std::nullopt}};
  return out;
}

}  // namespace shardscope::inline study
