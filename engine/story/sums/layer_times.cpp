// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/layer_times.h"

#include <algorithm>
#include <map>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/program/analysis/outline.h"
#include "engine/story/sums/busy_spans.h"

namespace shardscope::inline story {
namespace {

// Which layer of which fold each instruction is in.
struct LayerPlaces {
  struct Place {
    int32_t fold = -1, layer = 0;
  };
  std::vector<LayerTimes> folds;      // with all their layers, which have no time yet
  std::vector<Place> of_instruction;  // by Program::global_index
};

size_t scopes_above(const Outline& outline, int32_t node) {
  size_t count = 0;
  for (; node >= 0; node = outline.nodes[static_cast<size_t>(node)].parent)
    count += outline.nodes[static_cast<size_t>(node)].kind == OutlineKind::scope ? 1 : 0;
  return count - 1;
}

LayerPlaces layer_places(const Program& program) {
  LayerPlaces out;
  if (program.computations.empty()) return out;
  const Outline outline = outline_of(program);
  out.of_instruction.resize(outline.places.size());
  std::map<int32_t, int32_t> fold_of;  // by node
  size_t index = 0;
  for (const Computation& computation : program.computations) {
    for (const Instruction& i : computation.instructions) {
      const OutlinePlace& at = outline.places[index++];
      const int32_t node = outline_folds(outline, at.node);
      if (node < 0) continue;
      const OutlineNode& folded = outline.nodes[static_cast<size_t>(node)];
      if (folded.kind != OutlineKind::scope) continue;
      const auto [found, is_new] = fold_of.try_emplace(node, static_cast<int32_t>(out.folds.size()));
      if (is_new) {
        LayerTimes& fold = out.folds.emplace_back();
        fold.title = folded.title + " ×" + std::to_string(folded.repeats);
        fold.path = outline_path(outline, node);
        fold.layers.resize(static_cast<size_t>(folded.repeats));
      }
      auto& layer = out.folds[static_cast<size_t>(found->second)].layers[static_cast<size_t>(at.repeat)];
      if (layer.name.empty()) layer.name = outline_scope(i.provenance->op_name, scopes_above(outline, node));
      out.of_instruction[index - 1] = {found->second, at.repeat};
    }
  }
  return out;
}

void finish(LayerTimes& fold) {
  std::erase_if(fold.layers, [](const LayerTimes::Layer& layer) { return layer.time.length() <= 0; });
  if (fold.layers.empty()) return;
  std::ranges::stable_sort(fold.layers, {}, &LayerTimes::Layer::time);
  fold.time = fold.layers.front().time;
  fold.shortest = fold.longest = fold.time.length();
  for (const LayerTimes::Layer& layer : fold.layers) {
    fold.time.end = std::max(fold.time.end, layer.time.end);
    fold.shortest = std::min(fold.shortest, layer.time.length());
    fold.longest = std::max(fold.longest, layer.time.length());
  }
}

}  // namespace

std::vector<LayerTimes> layer_times(const Run& run, const std::stop_token& stop) {
  LayerPlaces places = layer_places(run.program);
  if (places.folds.empty()) return {};
  size_t seen = 0;
  for (const Event& e : run.timeline.events) {
    if (++seen % kEventsBetweenStops == 0 && stop.stop_requested()) return {};
    const LayerPlaces::Place at = places.of_instruction[static_cast<size_t>(e.instruction)];
    if (at.fold < 0 || e.end <= e.start) continue;
    TimeRange& time = places.folds[static_cast<size_t>(at.fold)].layers[static_cast<size_t>(at.layer)].time;
    if (time.length() <= 0) time = {e.start, e.end};
    time.end = std::max(time.end, e.end);
  }
  for (LayerTimes& fold : places.folds) finish(fold);
  std::erase_if(places.folds, [](const LayerTimes& fold) { return fold.layers.size() < 2; });
  std::ranges::stable_sort(places.folds, {}, &LayerTimes::time);
  return std::move(places.folds);
}

std::string layer_words(const LayerTimes& times) {
  const std::string whole = format_picoseconds(times.time.length());
  const std::string shortest = format_picoseconds(times.shortest);
  const std::string longest = format_picoseconds(times.longest);
  if (shortest == longest) return say("{} layers in {}, {} each", times.layers.size(), whole, shortest);
  return say("{} layers in {}, {} to {} each", times.layers.size(), whole, shortest, longest);
}

}  // namespace shardscope::inline story
