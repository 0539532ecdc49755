// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/fastest_round.h"

#include <algorithm>
#include <limits>

namespace shardscope::inline tuner {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double least_of(const CostTable& table) {
  return table.seconds.empty() ? kNever : *std::min_element(table.seconds.begin(), table.seconds.end());
}

using Picks = std::vector<std::pair<size_t, size_t>>;

// The least seconds from the first layer's choices to each pair of choices of a layer, and where from.
struct Reached {
  CostTable seconds;
  std::vector<std::pair<size_t, size_t>> from;  // of the layer before
};

class Rounds {
 public:
  explicit Rounds(const std::vector<LayerCosts>& layers) : layers_(layers), rest_(layers.size() + 1, 0) {
    for (size_t l = layers.size(); l-- > 0;) rest_[l] = rest_[l + 1] + least_of(layers[l].own);
  }

  // The best round from this pair of the first layer, when it beats `best_`.
  void try_from(size_t forward, size_t backward) {
    const CostTable& own = layers_[0].own;
    if (own.at(forward, backward) + rest_[1] >= best_) return;
    CostTable start(own.rows, own.cols);
    std::fill(start.seconds.begin(), start.seconds.end(), kNever);
    start.at(forward, backward) = own.at(forward, backward);
    std::vector<Reached> reached = {{std::move(start), {}}};
    for (size_t l = 1; l < layers_.size(); ++l) {
      reached.push_back(step(reached.back().seconds, l));
      if (least_of(reached.back().seconds) + rest_[l + 1] >= best_) return;
    }
    const CostTable& last = reached.back().seconds;
    for (size_t f = 0; f < last.rows; ++f) {
      for (size_t d = 0; d < last.cols; ++d) {
        const double total =
            last.at(f, d) + layers_.back().onwards.at(f, forward) + layers_.back().backwards.at(backward, d);
        if (total >= best_) continue;
        best_ = total;
        picks_ = trace(reached, {f, d});
      }
    }
  }

  std::optional<Round> best() const {
    return picks_.empty() ? std::nullopt : std::optional(Round{best_, picks_});
  }

 private:
  // First over the forward choices of the layer before, then over its backward ones.
  Reached step(const CostTable& before, size_t l) const {
    const LayerCosts& left = layers_[l - 1];
    const CostTable& own = layers_[l].own;
    CostTable half(own.rows, before.cols);
    std::vector<size_t> from(half.seconds.size(), 0);
    for (size_t f = 0; f < own.rows; ++f) {
      for (size_t d = 0; d < before.cols; ++d) {
        double& least = half.at(f, d) = kNever;
        for (size_t a = 0; a < before.rows; ++a) {
          const double total = before.at(a, d) + left.onwards.at(a, f);
          if (total >= least) continue;
          least = total;
          from[f * before.cols + d] = a;
        }
      }
    }
    Reached out{CostTable(own.rows, own.cols), {}};
    out.from.resize(own.seconds.size());
    for (size_t f = 0; f < own.rows; ++f) {
      for (size_t d = 0; d < own.cols; ++d) {
        double& least = out.seconds.at(f, d) = kNever;
        for (size_t b = 0; b < before.cols; ++b) {
          const double total = half.at(f, b) + left.backwards.at(d, b) + own.at(f, d);
          if (total >= least) continue;
          least = total;
          out.from[f * own.cols + d] = {from[f * before.cols + b], b};
        }
      }
    }
    return out;
  }

  static Picks trace(const std::vector<Reached>& reached, std::pair<size_t, size_t> last) {
    Picks picks = {last};
    for (size_t l = reached.size() - 1; l > 0; --l)
      picks.push_back(reached[l].from[picks.back().first * reached[l].seconds.cols + picks.back().second]);
    std::reverse(picks.begin(), picks.end());
    return picks;
  }

  const std::vector<LayerCosts>& layers_;
  std::vector<double> rest_;  // by layer: no round takes less from it on
  double best_ = kNever;
  Picks picks_;
};

}  // namespace

std::optional<Round> fastest_round(const std::vector<LayerCosts>& layers) {
  Rounds rounds(layers);
  const CostTable& first = layers[0].own;
  for (size_t f = 0; f < first.rows; ++f) {
    for (size_t d = 0; d < first.cols; ++d) rounds.try_from(f, d);
  }
  return rounds.best();
}

}  // namespace shardscope::inline tuner
