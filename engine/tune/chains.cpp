// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/chains.h"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

namespace shardscope::inline tuner {
namespace {

// Adam beside the weights: a master copy and two moments, f32 each.
constexpr int64_t kOptimiserBytesOfWeight = 12;

constexpr std::array kTraining = {TunePass::forward, TunePass::data_gradient, TunePass::weight_gradient};

template <class Value>
size_t place_of(std::vector<Value>& all, const Value& value) {
  const auto at = std::find(all.begin(), all.end(), value);
  if (at != all.end()) return static_cast<size_t>(at - all.begin());
  all.push_back(value);
  return all.size() - 1;
}

// Bytes of a device that belong to a layer all through the step.
struct Beside {
  int64_t weights = 0, gradients = 0, optimiser = 0, activations = 0;
  int64_t sum() const { return weights + gradients + optimiser + activations; }
};

Beside beside(const LayerOption& forward, bool trains, ElementType type) {
  Beside out;
  out.weights = forward.rhs.bytes;
  if (!trains) return out;
  out.gradients = forward.rhs.bytes;
  out.optimiser = forward.rhs.bytes * 8 / bits(type) * kOptimiserBytesOfWeight;
  out.activations = forward.lhs.bytes;
  return out;
}

constexpr int64_t kShortestProgram = 40;  // as kShortProgram
// Of the time known: a choice is played so much further, so that the sum with what is learnt is never the
// same.
constexpr double kPlayedOn = 1e-12;

// What a product's own memory may hold that is counted with its layer, beside what `charge` takes away.
int64_t most_held_bytes(const LayerOption& option, TunePass pass) {
  if (pass == TunePass::forward) return 0;
  return pass == TunePass::data_gradient ? option.rhs.bytes : option.lhs.bytes + option.out.bytes;
}

bool trusted(const MeshKnowledge::Known& known, const LayerOption& option, Trusted of) {
  return known.timed || of == Trusted::all ||
         (of == Trusted::shortest_programs && option.least.instructions <= kShortestProgram) ||
         (of == Trusted::short_programs && option.least.instructions <= kShortProgram);
}

}  // namespace

ModelStep model_step(const TuneModel& model, TuneStep step, int64_t chips) {
  ModelStep out;
  out.step = step;
  const int64_t tokens = model.tokens(chips);
  for (const ModelLayer& layer : model.layers) {
    ModelStep::Layer& made = out.layers.emplace_back();
    const auto product = [&](int64_t m, int64_t k, int64_t n) {
      made.products.push_back(
          place_of(out.products, MatmulProblem{m, k, n, ElementType::bf16, ElementType::f32}));
    };
    const auto array = [&](int64_t rows, int64_t cols) {
      return place_of(out.arrays, Shape::array(ElementType::bf16, {rows, cols}));
    };
    product(tokens, layer.inputs, layer.outputs);
    if (step == TuneStep::training) {
      product(tokens, layer.outputs, layer.inputs);
      product(layer.inputs, tokens, layer.outputs);
    }
    made.x = array(tokens, layer.inputs);
    made.w = array(layer.inputs, layer.outputs);
    made.y = array(tokens, layer.outputs);
  }
  return out;
}

ChainSearch::ChainSearch(const TuneModel& model, const ModelStep& step, MeshKnowledge& knowledge)
    : model_(model), step_(step), knowledge_(knowledge) {
  for (const ModelStep::Layer& layer : step.layers) {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const LayerOption& forward : knowledge.product(layer.products[0]).options)
      least = std::min(least, beside(forward, trains(), ElementType::bf16).sum());
    least_beside_.push_back(least);
  }
}

// Of the options of a class that keep the limits the fastest, then the smallest, then the first.
std::vector<ChainSearch::Pick> ChainSearch::picks_of(size_t layer, TunePass pass,
                                                     const ChainLimits& limits) const {
  const size_t product = step_.layers[layer].products[static_cast<size_t>(pass)];
  int64_t others = 0;
  for (size_t l = 0; l < least_beside_.size(); ++l) others += l == layer ? 0 : least_beside_[l];
  // What is charged of a forward product is with what its layer holds.
  const int64_t own = pass == TunePass::forward ? 0 : least_beside_[layer];
  std::vector<Pick> out;
  for (const LayoutClass& alike : knowledge_.classes(product)) {
    std::optional<Pick> best;
    int64_t best_bytes = 0;
    double least_timed_s = std::numeric_limits<double>::infinity();
    for (const size_t o : alike.options) {
      const MeshKnowledge::Known& known = knowledge_.known(product, o);
      const LayerOption& it = knowledge_.product(product).options[o];
      const int64_t bytes = pass == TunePass::forward ? charge(it, known.peak_bytes) : known.peak_bytes;
      if (known.seconds == std::numeric_limits<double>::infinity() || bytes > limits.product_bytes ||
          bytes > limits.candidate_bytes - others ||
          bytes - most_held_bytes(it, pass) > limits.whole_bytes - others - own ||
          !trusted(known, it, limits.of)) {
        continue;
      }
      if (known.timed) least_timed_s = std::min(least_timed_s, known.seconds);
      if (best && std::pair(best->seconds, best_bytes) <= std::pair(known.seconds, bytes)) continue;
      best = Pick{product, o, known.seconds, alike.lhs, alike.rhs, alike.out};
      best_bytes = bytes;
    }
    if (!best) continue;
    best->instead_s = least_timed_s;
    const auto [lhs, rhs, made] = std::tuple(alike.lhs, alike.rhs, alike.out);
    if (pass == TunePass::data_gradient)
      std::tie(best->y, best->w, best->x) = std::tuple(lhs, knowledge_.turned(rhs), made);
    if (pass == TunePass::weight_gradient)
      std::tie(best->x, best->y, best->w) = std::tuple(knowledge_.turned(lhs), rhs, made);
    out.push_back(*best);
  }
  return out;
}

bool ChainSearch::may_fit(int64_t bytes) const {
  ChainLimits limits;
  limits.candidate_bytes = bytes;
  for (size_t l = 0; l < step_.layers.size(); ++l) {
    for (const TunePass pass : passes())
      if (picks_of(l, pass, limits).empty()) return false;
  }
  return true;
}

int64_t ChainSearch::charge(const LayerOption& forward, int64_t peak_bytes) const {
  const int64_t held = forward.rhs.bytes + (trains() ? forward.lhs.bytes : 0);
  return peak_bytes - held + beside(forward, trains(), ElementType::bf16).sum();
}

ChainSearch::LayerPicks ChainSearch::layer_picks(size_t layer, const ChainLimits& limits) const {
  LayerPicks out;
  out.forward = picks_of(layer, TunePass::forward, limits);
  if (trains()) {
    out.data = picks_of(layer, TunePass::data_gradient, limits);
    out.weight = picks_of(layer, TunePass::weight_gradient, limits);
  } else {
    out.data = out.weight = {Pick{}};
  }
  return out;
}

std::array<ChainSearch::Hop, 3> ChainSearch::hops_before(size_t layer, const Chosen& chosen,
                                                         TunePass pass) const {
  const ModelStep::Layer& it = step_.layers[layer];
  const auto& [forward, data, weight] = chosen;
  if (pass == TunePass::data_gradient) return {Hop{it.w, forward.w, data.w}};
  if (pass == TunePass::weight_gradient)
    return {Hop{it.x, forward.x, weight.x}, Hop{it.y, data.y, weight.y}, Hop{it.w, weight.w, forward.w}};
  return {};
}

ChainSearch::Hop ChainSearch::onwards(size_t layer, const Pick& forward, const Pick& next) const {
  return {step_.layers[(layer + 1) % step_.layers.size()].x, forward.y, next.x};
}

ChainSearch::Hop ChainSearch::backwards(size_t layer, const Pick& next, const Pick& data) const {
  return {step_.layers[layer].y, next.x, data.y};
}

double ChainSearch::seconds(std::span<const Hop> hops) {
  double sum = 0;
  for (const Hop& hop : hops) sum += knowledge_.move(hop.array, hop.from, hop.to).seconds;
  return sum;
}

LayerCosts ChainSearch::costs_of(size_t layer, std::vector<LayerPicks>& all) {
  LayerPicks& own = all[layer];
  const LayerPicks& next = all[(layer + 1) % all.size()];
  LayerCosts out{CostTable(own.forward.size(), own.data.size()),
                 CostTable(own.forward.size(), next.forward.size()),
                 CostTable(next.data.size(), own.data.size())};
  own.best_weight.assign(out.own.seconds.size(), 0);
  for (size_t f = 0; f < own.forward.size(); ++f) {
    for (size_t d = 0; d < own.data.size(); ++d) {
      double least = std::numeric_limits<double>::infinity();
      for (size_t w = 0; w < own.weight.size(); ++w) {
        const Chosen chosen{own.forward[f], own.data[d], own.weight[w]};
        double sum = chosen.forward.seconds;
        if (trains()) {
          sum += chosen.data.seconds + seconds(hops_before(layer, chosen, TunePass::data_gradient)) +
                 chosen.weight.seconds + seconds(hops_before(layer, chosen, TunePass::weight_gradient));
        }
        if (sum >= least) continue;
        least = sum;
        own.best_weight[f * own.data.size() + d] = w;
      }
      out.own.at(f, d) = least;
    }
    for (size_t n = 0; n < next.forward.size(); ++n)
      out.onwards.at(f, n) = seconds(std::array{onwards(layer, own.forward[f], next.forward[n])});
  }
  for (size_t n = 0; trains() && n < next.data.size(); ++n) {
    for (size_t d = 0; d < own.data.size(); ++d)
      out.backwards.at(n, d) = seconds(std::array{backwards(layer, next.data[n], own.data[d])});
  }
  return out;
}

double ChainSearch::choose(const ChainLimits& limits) {
  chosen_.clear();
  std::vector<LayerPicks> all;
  for (size_t l = 0; l < step_.layers.size(); ++l) all.push_back(layer_picks(l, limits));
  std::vector<LayerCosts> costs;
  for (size_t l = 0; l < all.size(); ++l) costs.push_back(costs_of(l, all));
  const auto round = fastest_round(costs);
  if (!round) return std::numeric_limits<double>::infinity();
  for (size_t l = 0; l < all.size(); ++l) {
    const auto [f, d] = round->picks[l];
    const size_t w = all[l].best_weight[f * all[l].data.size() + d];
    chosen_.push_back({all[l].forward[f], all[l].data[d], all[l].weight[w]});
  }
  return round->seconds;
}

std::vector<TuneQuestion> ChainSearch::unknown() {
  std::vector<TuneQuestion> out;
  for (size_t l = 0; l < chosen_.size(); ++l) {
    for (const TunePass pass : passes()) {
      const Pick& pick = pick_of(l, pass);
      if (!knowledge_.known(pick.product, pick.option).timed)
        out.push_back({.product = pick.product, .option = pick.option, .limit_s = pick.instead_s});
      for (const Hop& hop : all_hops(l, pass)) {
        if (!knowledge_.move(hop.array, hop.from, hop.to).timed)
          out.push_back({.is_product = false, .array = hop.array, .from = hop.from, .to = hop.to});
      }
    }
  }
  // Of those that are asked for several layers the one that may take longest.
  const auto is_of = [](const TuneQuestion& q) {
    return std::tuple(q.is_product, q.product, q.option, q.array, q.from, q.to);
  };
  std::sort(out.begin(), out.end(), std::greater<>());
  const auto same = [&](const TuneQuestion& a, const TuneQuestion& b) { return is_of(a) == is_of(b); };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  std::reverse(out.begin(), out.end());
  return out;
}

// First the fastest of what is timed, then of short programs, the shortest before others, then of all. The
// one before, or what a chain may take, tells how long a choice is worth to be played: any chain with it
// takes what the fastest takes by the bounds and by how much it is above its own.
std::vector<TuneQuestion> ChainSearch::open(const ChainLimits& limits) {
  double known_s = limits.seconds;
  for (const Trusted of :
       {Trusted::timed, Trusted::shortest_programs, Trusted::short_programs, Trusted::all}) {
    ChainLimits some = limits;
    some.of = of;
    const double seconds = choose(some);
    least_s_ = of == Trusted::all ? seconds : 0;
    if (seconds > limits.seconds) continue;
    std::vector<TuneQuestion> out = unknown();
    for (TuneQuestion& question : out) {
      if (question.is_product)
        question.limit_s = std::min(question.limit_s * (1 + kPlayedOn),
                                    knowledge_.known(question.product, question.option).seconds +
                                        (known_s * (1 + kPlayedOn) - seconds));
    }
    if (!out.empty()) return out;
    known_s = std::min(known_s, seconds);
  }
  return {};
}

std::span<const TunePass> ChainSearch::passes() const {
  return std::span(kTraining).first(trains() ? 3 : 1);
}

const ChainSearch::Pick& ChainSearch::pick_of(size_t layer, TunePass pass) const {
  const Chosen& chosen = chosen_[layer];
  return pass == TunePass::forward         ? chosen.forward
         : pass == TunePass::data_gradient ? chosen.data
                                           : chosen.weight;
}

std::vector<ChainSearch::Hop> ChainSearch::all_hops(size_t layer, TunePass pass) const {
  const std::array inner = hops_before(layer, chosen_[layer], pass);
  std::vector<Hop> hops(inner.begin(), inner.end());
  const size_t count = chosen_.size();
  const size_t before = (layer + count - 1) % count, after = (layer + 1) % count;
  if (pass == TunePass::forward)
    hops.push_back(onwards(before, chosen_[before].forward, chosen_[layer].forward));
  if (pass == TunePass::data_gradient)
    hops.push_back(backwards(layer, chosen_[after].data, chosen_[layer].data));
  return hops;
}

TuneLayerChoice ChainSearch::choice_of(size_t layer, TunePass pass) const {
  const Pick& pick = pick_of(layer, pass);
  const LayerOption& option = this->option(pick);
  const OptionTime& time = knowledge_.known(pick.product, pick.option).time;
  TuneLayerChoice out;
  out.layer = model_.layers[layer].name;
  out.pass = pass;
  out.dataflow = dataflow_of(*option.strategy);
  out.transpose = option.lhs.stored.transposed;
  out.slices = option.slices;
  out.strategy = option.strategy->id;
  out.options = option.options;
  out.problem = knowledge_.product(pick.product).problem;
  out.total_s = time.total_s;
  out.peak_bytes = time.peak_bytes;
  for (const Hop& hop : all_hops(layer, pass)) {
    const Resharding& done = knowledge_.move(hop.array, hop.from, hop.to).done;
    out.reshard_s += done.seconds;
    out.reshard_bytes += done.bytes;
  }
  return out;
}

// What a product's own memory holds that is counted with its layer.
int64_t ChainSearch::held_bytes(size_t layer, TunePass pass) const {
  const auto& [forward, data, weight] = chosen_[layer];
  const auto bytes = [](bool held, const ArrayOnMesh& array) { return held ? array.bytes : 0; };
  if (pass == TunePass::forward) return option(forward).rhs.bytes + bytes(trains(), option(forward).lhs);
  if (pass == TunePass::data_gradient) return bytes(data.w == forward.w, option(data).rhs);
  return bytes(weight.x == forward.x, option(weight).lhs) + bytes(weight.w == forward.w, option(weight).out);
}

std::optional<ChainSearch::Chain> ChainSearch::chain() const {
  if (chosen_.empty()) return std::nullopt;
  Chain out;
  TuneCandidate& candidate = out.candidate;
  candidate.mesh = knowledge_.mesh();
  candidate.places = axis_places(knowledge_.mesh(), knowledge_.hardware());
  const auto add = [&](size_t l, TunePass pass) {
    const Pick& pick = pick_of(l, pass);
    const OptionTime& time = knowledge_.known(pick.product, pick.option).time;
    candidate.layers.push_back(choice_of(l, pass));
    const double moves = candidate.layers.back().reshard_s;
    candidate.traffic_s += time.bandwidth_s + moves;
    candidate.latency_s += time.latency_s;
    candidate.pipeline_s += time.rest_s;
    candidate.total_s += time.total_s + moves;
    TuneMemory& memory = candidate.memory;
    memory.working = std::max(memory.working, time.peak_bytes - held_bytes(l, pass));
    const int64_t charged =
        pass == TunePass::forward ? charge(option(pick), time.peak_bytes) : time.peak_bytes;
    out.product_bytes = std::max(out.product_bytes, charged);
    if (pass != TunePass::forward) return;
    const Beside own = beside(option(pick), trains(), ElementType::bf16);
    memory.weights += own.weights;
    memory.gradients += own.gradients;
    memory.optimiser += own.optimiser;
    memory.activations += own.activations;
  };
  for (size_t l = 0; l < chosen_.size(); ++l) add(l, TunePass::forward);
  for (size_t l = chosen_.size(); trains() && l-- > 0;) {
    add(l, TunePass::data_gradient);
    add(l, TunePass::weight_gradient);
  }
  candidate.peak_bytes = candidate.memory.sum();
  const double room =
      knowledge_.hardware().memory.hbm_bytes.value_or(std::numeric_limits<double>::infinity());
  candidate.fits = static_cast<double>(candidate.peak_bytes) <= room;
  return out;
}

}  // namespace shardscope::inline tuner
