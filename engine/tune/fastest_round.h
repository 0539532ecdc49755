// SPDX-License-Identifier: Apache-2.0
// The least sum over a ring of layers, each of which chooses twice: how it goes forward and how backward.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace shardscope::inline tuner {

// Row-major; infinity: not together.
struct CostTable {
  size_t rows = 0, cols = 0;
  std::vector<double> seconds;
  CostTable() = default;
  CostTable(size_t of_rows, size_t of_cols) : rows(of_rows), cols(of_cols), seconds(of_rows * of_cols) {}
  double& at(size_t row, size_t col) { return seconds[row * cols + col]; }
  double at(size_t row, size_t col) const { return seconds[row * cols + col]; }
};

struct LayerCosts {
  CostTable own;        // forward choice × backward choice
  CostTable onwards;    // its forward choice × that of the next layer, the last one's next is the first
  CostTable backwards;  // the next layer's backward choice × its own
};

// By layer: the forward and the backward choice. Of equal sums the first choices of the first layers. None
// when every sum is infinite. Layer by layer the best ways on are kept (Bellman), for each pair of choices of
// the first layer.
struct Round {
  double seconds = 0;
  std::vector<std::pair<size_t, size_t>> picks;
};
std::optional<Round> fastest_round(const std::vector<LayerCosts>& layers);

}  // namespace shardscope::inline tuner
