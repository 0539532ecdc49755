// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/published.h"

#include <fmt/format.h>
#include <map>

#include "engine/tune/meshslice_cost.h"

namespace shardscope::inline tuner {
namespace {

struct PlannedLayers {
  std::vector<PublishedLayer> layers;
  std::vector<std::string> transposes;  // layers whose result is transposed before it is added
};

// The result of an RS layer comes out transposed and the next layer reads it so. Where a sum's two inputs
// disagree, the new one is transposed back.
PlannedLayers plan_layers(const TuneModel& model, int64_t chips) {
  PlannedLayers out;
  std::map<std::string, bool> stored_transposed = {{"input", false}};
  bool transposed = false;
  for (const ModelLayer& layer : model.layers) {
    const int64_t tokens = model.tokens(chips);
    const Dataflow dataflow = largest_stays(tokens, layer.inputs, layer.outputs);
    out.layers.push_back({dataflow, transposed, tokens, layer.inputs, layer.outputs});
    if (dataflow == Dataflow::rs) transposed = !transposed;
    if (!layer.residual.empty() && stored_transposed.at(layer.residual) != transposed) {
      out.transposes.push_back(layer.name);
      transposed = !transposed;
    }
    stored_transposed[layer.name] = transposed;
  }
  return out;
}

std::string strategy_of(Dataflow dataflow) {
  return dataflow == Dataflow::os   ? "meshslice.os"
         : dataflow == Dataflow::ls ? "meshslice.ls"
                                    : "meshslice.rs";
}

TuneCandidate candidate_on(Grid grid, const TuneModel& model, const std::vector<PublishedLayer>& layers) {
  TuneCandidate out;
  out.mesh = *Mesh::make({{"row", grid.rows, true}, {"col", grid.cols, true}});
  for (size_t i = 0; i < layers.size(); ++i) {
    const PublishedLayer& layer = layers[i];
    TuneLayerChoice choice;
    choice.layer = model.layers[i].name;
    choice.dataflow = name(layer.dataflow);
    choice.transpose = layer.transposed;
    choice.slices = best_slices(layer, grid);
    choice.strategy = strategy_of(layer.dataflow);
    choice.options.slices = choice.slices;
    choice.problem = {layer.tokens, layer.inputs, layer.outputs, ElementType::bf16, ElementType::f32};
    const double traffic = traffic_s(layer, grid);
    const double latency = latency_s(layer, grid, choice.slices);
    choice.total_s = traffic + latency;
    out.traffic_s += traffic;
    out.latency_s += latency;
    out.pipeline_s += bubble_s(layer, grid, choice.slices);
    out.layers.push_back(std::move(choice));
  }
  out.total_s = out.traffic_s + out.latency_s;
  return out;
}

}  // namespace

Result<TuneResult> tune_published(const TuneModel& model, int64_t chips) {
  const std::vector<Grid> grids = published_grids(chips);
  if (grids.empty()) {
    return invalid(fmt::format("no mesh of {} chips has 4, 8, 16, … rows and at least 4 columns", chips),
                   "--chips", "use a multiple of 4 from 16 on, as 64, or --cost simulate");
  }
  TuneResult out;
  out.model = model;
  out.chips = chips;
  out.cost = TuneCost::meshslice;
  out.hardware = "tpu-v4";
  const PlannedLayers planned = plan_layers(model, chips);
  for (const Grid grid : grids) {
    out.candidates.push_back(candidate_on(grid, model, planned.layers));
    const auto place = static_cast<int32_t>(out.candidates.size()) - 1;
    const bool better =
        out.best < 0 || out.candidates.back().total_s < out.candidates[static_cast<size_t>(out.best)].total_s;
    if (better) out.best = place;
  }
  out.assumptions = {
      "the published costs: bandwidths and latencies measured on TPUv4; forward, data gradient and weight "
      "gradient of each layer; the time of the products is not in them"};
  for (const std::string& layer : planned.transposes)
    out.assumptions.push_back(fmt::format("the result of {} is transposed before it is added", layer));
  return out;
}

}  // namespace shardscope::inline tuner
