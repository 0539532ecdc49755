// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/chains.h"

#include <algorithm>
#include <limits>

namespace shardscope {
namespace {

constexpr int kMostChains = 12;  // of one mesh
constexpr double kNever = std::numeric_limits<double>::infinity();

// Drops what another option of the same layouts beats in time and memory: no chain would take it.
std::vector<TimedOption> undominated(const std::vector<TimedOption>& options) {
  std::vector<TimedOption> out;
  for (size_t i = 0; i < options.size(); ++i) {
    const TimedOption& a = options[i];
    bool beaten = false;
    for (size_t j = 0; j < options.size() && !beaten; ++j) {
      const TimedOption& b = options[j];
      if (i == j || b.option->in != a.option->in || b.option->out != a.option->out) continue;
      const bool no_worse = b.total_s <= a.total_s && b.peak_bytes <= a.peak_bytes &&
                            b.option->weight_bytes <= a.option->weight_bytes;
      const bool equal = b.total_s == a.total_s && b.peak_bytes == a.peak_bytes &&
                         b.option->weight_bytes == a.option->weight_bytes;
      beaten = no_worse && (!equal || j < i);
    }
    if (!beaten) out.push_back(a);
  }
  return out;
}

// Resharding from each option of one layer to each of the next, row-major.
struct Bridge {
  size_t width = 0;
  std::vector<Resharding> between;
  const Resharding& at(size_t from, size_t to) const { return between[from * width + to]; }
};

Bridge bridge(const Mesh& mesh, const Hardware& hardware, const std::vector<TimedOption>& from,
              const std::vector<TimedOption>& to, const MatmulProblem& next) {
  Bridge out;
  out.width = to.size();
  std::vector<std::pair<std::pair<StoredArray, StoredArray>, Resharding>> known;
  for (const TimedOption& a : from) {
    for (const TimedOption& b : to) {
      const std::pair key{a.option->out, b.option->in};
      auto found = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == key; });
      if (found == known.end()) {
        const Resharding cost =
            resharding(mesh, hardware, key.first, key.second, Shape::array(next.dtype, {next.m, next.k}));
        found = known.insert(known.end(), {key, cost});
      }
      out.between.push_back(found->second);
    }
  }
  return out;
}

class ChainFinder {
 public:
  ChainFinder(const Mesh& mesh, const Hardware& hardware, const std::vector<TimedLayer>& layers) {
    for (const TimedLayer& layer : layers) options_.push_back(undominated(layer.options));
    for (size_t l = 0; l < layers.size(); ++l) {
      const size_t next = (l + 1) % layers.size();
      bridges_.push_back(bridge(mesh, hardware, options_[l], options_[next], layers[next].problem));
    }
  }

  const TimedOption& option(size_t layer, size_t pick) const { return options_[layer][pick]; }
  // What layer `layer` waits for its X, under `picks`.
  const Resharding& before(size_t layer, const std::vector<size_t>& picks) const {
    const size_t last = (layer + options_.size() - 1) % options_.size();
    return bridges_[last].at(picks[last], picks[layer]);
  }

  // The fastest round of choices whose products each need at most `peak_bytes`; empty: there is none. For
  // each choice of the first layer the best ways on are found layer by layer (Bellman).
  std::vector<size_t> fastest(int64_t peak_bytes) const {
    std::vector<size_t> best;
    double least = kNever;
    for (size_t first = 0; first < options_[0].size(); ++first) {
      if (options_[0][first].peak_bytes > peak_bytes) continue;
      std::vector<double> cost(options_[0].size(), kNever);
      cost[first] = options_[0][first].total_s;
      std::vector<std::vector<size_t>> came_from;
      for (size_t l = 1; l < options_.size(); ++l) step(l, peak_bytes, cost, came_from);
      for (size_t last = 0; last < cost.size(); ++last) {
        const double total = cost[last] + bridges_.back().at(last, first).seconds;
        if (total >= least) continue;
        least = total;
        best = trace(last, came_from);
      }
    }
    return best;
  }

 private:
  void step(size_t l, int64_t peak_bytes, std::vector<double>& cost,
            std::vector<std::vector<size_t>>& came_from) const {
    std::vector<double> next(options_[l].size(), kNever);
    came_from.emplace_back(options_[l].size(), 0);
    for (size_t b = 0; b < next.size(); ++b) {
      if (options_[l][b].peak_bytes > peak_bytes) continue;
      for (size_t a = 0; a < cost.size(); ++a) {
        const double total = cost[a] + bridges_[l - 1].at(a, b).seconds + options_[l][b].total_s;
        if (total >= next[b]) continue;
        next[b] = total;
        came_from.back()[b] = a;
      }
    }
    cost = std::move(next);
  }

  std::vector<size_t> trace(size_t last, const std::vector<std::vector<size_t>>& came_from) const {
    std::vector<size_t> picks = {last};
    for (size_t l = came_from.size(); l > 0; --l) picks.push_back(came_from[l - 1][picks.back()]);
    std::reverse(picks.begin(), picks.end());
    return picks;
  }

  std::vector<std::vector<TimedOption>> options_;  // by layer
  std::vector<Bridge> bridges_;                    // by layer: from it to the next, the last to the first
};

TuneLayerChoice choice_of(const std::string& layer, const MatmulProblem& problem, const TimedOption& timed,
                          const Resharding& before) {
  const LayerOption& option = *timed.option;
  TuneLayerChoice out;
  out.layer = layer;
  out.dataflow = dataflow_of(*option.strategy);
  out.transpose = option.in.transposed;
  out.slices = option.slices;
  out.strategy = option.strategy->id;
  out.options = option.options;
  out.problem = problem;
  out.total_s = timed.total_s;
  out.reshard_s = before.seconds;
  out.reshard_bytes = before.bytes;
  out.peak_bytes = timed.peak_bytes;
  return out;
}

}  // namespace

std::vector<TuneCandidate> chains_of(const Mesh& mesh, const Hardware& hardware, const TuneModel& model,
                                     const std::vector<TimedLayer>& layers) {
  const ChainFinder finder(mesh, hardware, layers);
  std::vector<TuneCandidate> out;
  int64_t peak_limit = std::numeric_limits<int64_t>::max();
  for (int tries = 0; tries < kMostChains; ++tries) {
    const std::vector<size_t> picks = finder.fastest(peak_limit);
    if (picks.empty()) break;
    TuneCandidate candidate;
    candidate.mesh = mesh;
    int64_t weights = 0;
    int64_t working = 0;  // beside the weights
    peak_limit = 0;
    for (size_t l = 0; l < layers.size(); ++l) {
      const TimedOption& timed = finder.option(l, picks[l]);
      const Resharding& before = finder.before(l, picks);
      candidate.layers.push_back(choice_of(model.layers[l].name, layers[l].problem, timed, before));
      candidate.traffic_s += timed.bandwidth_s + before.seconds;
      candidate.latency_s += timed.latency_s;
      candidate.pipeline_s += timed.rest_s;
      candidate.total_s += timed.total_s + before.seconds;
      weights += timed.option->weight_bytes;
      working = std::max(working, timed.peak_bytes - timed.option->weight_bytes);
      peak_limit = std::max(peak_limit, timed.peak_bytes - 1);
    }
    candidate.peak_bytes = weights + working;
    const double room = hardware.memory.hbm_bytes.value_or(std::numeric_limits<double>::infinity());
    candidate.fits = static_cast<double>(candidate.peak_bytes) <= room;
    if (out.empty() || candidate.peak_bytes < out.back().peak_bytes) out.push_back(std::move(candidate));
  }
  return out;
}

int32_t mark_front(std::vector<TuneCandidate>& candidates) {
  int32_t best = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    TuneCandidate& a = candidates[i];
    a.front = std::none_of(candidates.begin(), candidates.end(), [&](const TuneCandidate& b) {
      const bool no_worse = b.total_s <= a.total_s && b.peak_bytes <= a.peak_bytes;
      return no_worse && (b.total_s < a.total_s || b.peak_bytes < a.peak_bytes);
    });
    const bool better = best < 0 || (a.fits && !candidates[static_cast<size_t>(best)].fits) ||
                        (a.fits == candidates[static_cast<size_t>(best)].fits &&
                         a.total_s < candidates[static_cast<size_t>(best)].total_s);
    if (better) best = static_cast<int32_t>(i);
  }
  return best;
}

}  // namespace shardscope
