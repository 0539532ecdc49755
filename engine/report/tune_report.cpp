// SPDX-License-Identifier: Apache-2.0
#include "engine/report/tune_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/table.h"

namespace shardscope::inline report {
namespace {

using TuneJson = nlohmann::ordered_json;

TuneJson sizes_json(const Mesh& mesh) {
  TuneJson out = TuneJson::array();
  for (const MeshAxis& axis : mesh.axes()) out.push_back(axis.size);
  return out;
}

TuneJson layers_json(const TuneCandidate& candidate, bool simulated) {
  TuneJson out = TuneJson::array();
  for (const TuneLayerChoice& layer : candidate.layers) {
    TuneJson one = {{"name", layer.layer}};
    if (simulated) one["pass"] = name(layer.pass);
    one.update({{"dataflow", layer.dataflow},
                {"transpose", layer.transpose},
                {"slices", layer.slices},
                {"strategy", layer.strategy}});
    if (layer.options.block) one["block"] = *layer.options.block;
    one["m"] = layer.problem.m;
    one["k"] = layer.problem.k;
    one["n"] = layer.problem.n;
    one["total_s"] = layer.total_s;
    if (simulated) {
      one["reshard_s"] = layer.reshard_s;
      one["reshard_bytes"] = layer.reshard_bytes;
      one["peak_bytes"] = layer.peak_bytes;
    }
    out.push_back(one);
  }
  return out;
}

TuneJson memory_json(const TuneMemory& memory) {
  return {{"weights_bytes", memory.weights},
          {"gradients_bytes", memory.gradients},
          {"optimiser_bytes", memory.optimiser},
          {"activations_bytes", memory.activations},
          {"working_bytes", memory.working}};
}

// Null: one node, or a chip without nodes.
TuneJson places_json(const AxisPlaces& places) {
  if (places.nodes == 0) return nullptr;
  return {{"nodes", places.nodes},
          {"chips_per_node", places.node},
          {"within_node", places.within},
          {"over_network", places.leaving}};
}

TuneJson candidate_json(const TuneResult& result, const TuneCandidate& candidate, bool simulated) {
  TuneJson out = {{"mesh", sizes_json(candidate.mesh)},
                  {"traffic_s", candidate.traffic_s},
                  {"latency_s", candidate.latency_s},
                  {"pipeline_s", candidate.pipeline_s},
                  {"total_s", candidate.total_s}};
  if (simulated) {
    out["places"] = places_json(candidate.places);
    out["peak_bytes"] = candidate.peak_bytes;
    out["memory"] = memory_json(candidate.memory);
    out["fits"] = candidate.fits;
    out["front"] = candidate.front;
    const auto used = utilisation(result, candidate);
    out["utilisation"] = used ? TuneJson(*used) : TuneJson(nullptr);
  }
  out["layers"] = layers_json(candidate, simulated);
  return out;
}

bool has_gradients(const TuneCandidate& candidate) {
  return std::ranges::any_of(candidate.layers,
                             [](const TuneLayerChoice& layer) { return layer.pass != TunePass::forward; });
}

TextTable layer_table(const TuneCandidate& candidate, bool simulated) {
  const bool gradients = has_gradients(candidate);
  TextTable table;
  table.header = {"layer", "m x k x n", "dataflow", "X stored", "slices", "strategy", "time"};
  table.right_aligned = {false, false, false, false, true, false, true};
  if (simulated) {
    table.header.insert(table.header.end(), {"reshard", "peak mem"});
    table.right_aligned.insert(table.right_aligned.end(), {true, true});
  }
  for (const TuneLayerChoice& layer : candidate.layers) {
    const MatmulProblem& p = layer.problem;
    std::vector<std::string> row = {
        gradients ? fmt::format("{}, {}", layer.layer, name(layer.pass)) : layer.layer,
        fmt::format("{} x {} x {}", p.m, p.k, p.n),
        layer.dataflow.empty() ? "-" : layer.dataflow,
        layer.transpose ? "transposed" : "as it is",
        std::to_string(layer.slices),
        layer.strategy,
        format_seconds(layer.total_s)};
    if (simulated) {
      row.push_back(format_seconds(layer.reshard_s));
      row.push_back(format_bytes(static_cast<double>(layer.peak_bytes)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string memory_text(const TuneMemory& memory) {
  std::vector<std::string> parts;
  const auto add = [&](int64_t bytes, const char* what) {
    if (bytes > 0) parts.push_back(fmt::format("{} {}", what, format_bytes(static_cast<double>(bytes))));
  };
  add(memory.weights, "weights");
  add(memory.gradients, "gradients");
  add(memory.optimiser, "optimiser");
  add(memory.activations, "activations");
  add(memory.working, "working");
  return fmt::format("memory of a chip: {} = {}\n", join(parts, " + "),
                     format_bytes(static_cast<double>(memory.sum())));
}

std::string candidate_notes(const TuneResult& result, size_t place) {
  const TuneCandidate& candidate = result.candidates[place];
  std::vector<std::string> notes;
  if (static_cast<int32_t>(place) == result.best) notes.push_back("best");
  if (candidate.front) notes.push_back("front");
  if (!candidate.fits) notes.push_back("> HBM");
  return join(notes, ", ");
}

std::string way_words(const TuneLayerChoice& layer) {
  std::string out = layer.dataflow.empty() ? layer.strategy : layer.dataflow;
  if (layer.transpose) out += " of Xᵀ";
  return layer.slices > 1 ? fmt::format("{}, {} slices", out, layer.slices) : out;
}

// Of a mesh that stands there before with another plan: in which layers it differs.
std::string apart_words(const TuneResult& result, size_t place) {
  const TuneCandidate* other = fastest_alike(result, place);
  if (other == nullptr) return "";
  const TuneCandidate& own = result.candidates[place];
  const std::vector<size_t> differ = differing_layers(own, *other);
  std::string out;
  if (!differ.empty()) {
    const TuneLayerChoice &here = own.layers[differ[0]], &there = other->layers[differ[0]];
    out = fmt::format("{} by {} instead of {}", here.layer, way_words(here), way_words(there));
  }
  if (differ.size() > 1) out += fmt::format(", and {}", counted(differ.size() - 1, "more product"));
  return out;
}

TextTable candidate_table(const TuneResult& result, bool simulated) {
  std::vector<size_t> order(result.candidates.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return result.candidates[a].total_s < result.candidates[b].total_s;
  });
  TextTable table;
  table.header = {"mesh", "time", "traffic", "latency", "pipeline"};
  table.right_aligned = {false, true, true, true, true};
  if (simulated) {
    table.header.push_back("peak mem");
    table.right_aligned.push_back(true);
  }
  const bool used = result.peak_flops_per_s.has_value();
  if (used) {
    table.header.push_back("utilisation");
    table.right_aligned.push_back(true);
  }
  const bool nodes = std::ranges::any_of(
      result.candidates, [](const TuneCandidate& candidate) { return candidate.places.nodes > 0; });
  if (nodes) {
    table.header.push_back("over the network");
    table.right_aligned.push_back(false);
  }
  table.header.insert(table.header.end(), {"", "differs from the row above on this mesh in"});
  table.right_aligned.insert(table.right_aligned.end(), {false, false});
  for (const size_t place : order) {
    const TuneCandidate& candidate = result.candidates[place];
    std::vector<std::string> row = {candidate.mesh.text(), format_seconds(candidate.total_s),
                                    format_seconds(candidate.traffic_s), format_seconds(candidate.latency_s),
                                    format_seconds(candidate.pipeline_s)};
    if (simulated) row.push_back(format_bytes(static_cast<double>(candidate.peak_bytes)));
    if (used) row.push_back(format_percent(*utilisation(result, candidate)));
    if (nodes) row.push_back(candidate.places.nodes > 0 ? join(candidate.places.leaving, ", ") : "-");
    row.push_back(candidate_notes(result, place));
    row.push_back(apart_words(result, place));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What the columns of the candidates are, by where they come from.
std::string column_words(TuneCost cost) {
  if (cost == TuneCost::meshslice)
    return "time is traffic + latency; pipeline, exposed at the ends of the slices, only chooses the slices";
  return "time is traffic (exposed communication, resharding) + latency (of links) + pipeline (the rest); "
         "front: none is both faster and smaller; utilisation (of a training step MFU): FLOPs of the "
         "products / (chips × peak × time)";
}

}  // namespace

std::string tune_text(const TuneResult& result) {
  const bool simulated = result.cost == TuneCost::simulate;
  std::string out =
      fmt::format("{} on {}, {}, cost {}, step {}{}\n",
                  result.model.title.empty() ? result.model.name : result.model.title,
                  counted(result.chips, "chip"), result.hardware, name(result.cost), name(result.step),
                  result.complete ? "" : "; CANCELLED, this is what was done");
  out += fmt::format("tokens: {} = {} × {}\n", group_digits(result.model.tokens(result.chips)),
                     grouped_count(result.model.batch.value_or(result.chips), "sequence"),
                     group_digits(result.model.sequence));
  if (simulated) {
    out += fmt::format("layer options of all meshes: {} timed, {} pruned, {} refused\n",
                       group_digits(result.timed), group_digits(result.pruned), group_digits(result.refused));
  }
  if (result.best >= 0) {
    const TuneCandidate& best = result.candidates[static_cast<size_t>(result.best)];
    out += fmt::format("\nbest mesh {}: {}{}\n\n", best.mesh.text(), format_seconds(best.total_s),
                       best.fits ? "" : ", does NOT fit the chip's memory");
    if (best.places.nodes > 0)
      out += fmt::format("{} of {}: {}\n\n", counted(best.places.nodes, "node"),
                         counted(best.places.node, "chip"), words_of(best.places));
    out += plain_table(layer_table(best, simulated));
    if (simulated) out += memory_text(best.memory);
  }
  if (!result.candidates.empty()) {
    out += fmt::format("\n{}\n\n", counted(result.candidates.size(), "candidate"));
    out += plain_table(candidate_table(result, simulated)) + "\n" + column_words(result.cost) + "\n";
  }
  for (const std::string& assumption : result.assumptions) out += "assumed: " + assumption + "\n";
  for (const std::string& option : result.ignored_options) out += "ignored: --" + option + "\n";
  return out;
}

std::string tune_json(const TuneResult& result) {
  const bool simulated = result.cost == TuneCost::simulate;
  TuneJson out;
  out["mesh"] = nullptr;
  out["layers"] = TuneJson::array();
  if (result.best >= 0) {
    const TuneCandidate& best = result.candidates[static_cast<size_t>(result.best)];
    out["mesh"] = sizes_json(best.mesh);
    out["layers"] = layers_json(best, simulated);
  }
  out["candidates"] = TuneJson::array();
  for (const TuneCandidate& candidate : result.candidates)
    out["candidates"].push_back(candidate_json(result, candidate, simulated));
  out["best"] = result.best >= 0 ? TuneJson(result.best) : TuneJson(nullptr);
  out["model"] = result.model.name;
  out["chips"] = result.chips;
  out["tokens"] = result.model.tokens(result.chips);
  out["cost"] = name(result.cost);
  out["step"] = name(result.step);
  out["hardware"] = result.hardware;
  if (simulated) {
    out["hbm_bytes"] = result.hbm_bytes ? TuneJson(*result.hbm_bytes) : TuneJson(nullptr);
    out["timed"] = result.timed;
    out["pruned"] = result.pruned;
    out["refused"] = result.refused;
  }
  out["complete"] = result.complete;
  out["ignored_options"] = result.ignored_options;
  out["assumptions"] = result.assumptions;
  return out.dump(2) + "\n";
}

}  // namespace shardscope::inline report
