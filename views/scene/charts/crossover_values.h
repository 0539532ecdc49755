// SPDX-License-Identifier: Apache-2.0
// How a crossover table is laid out: one axis along x, the others as panels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/study/crossover.h"
#include "views/scene/core/plot_axis.h"

namespace shardscope::inline views {

// The axis that runs along x: the one with the most values, numbers before words.
size_t main_axis(const CrossoverTable& table);
// An axis's values as numbers, when all of them are.
std::optional<std::vector<double>> numbers_of(const SweepAxis& axis);
// Where value i of `axis` stands: by its number, or evenly when the values are words.
struct ValueAxis {
  std::vector<float> x;      // per value, pixels
  std::vector<float> edges;  // one more than values: half way to the neighbours
};
ValueAxis value_axis(const SweepAxis& axis, float start, float length);

// One panel: the points at which the other axes have one value each, in order along x.
struct CrossoverPanelPoints {
  std::string title;           // "slices = 2", empty when there is one axis
  std::vector<size_t> points;  // places in CrossoverTable::points
};
std::vector<CrossoverPanelPoints> panels_of(const CrossoverTable& table, size_t along);

// Strategies with a colour of their own: the winners, then the nearest to a winner, at most `most`.
std::vector<std::string> told_strategies(const CrossoverTable& table, size_t most);

}  // namespace shardscope::inline views
