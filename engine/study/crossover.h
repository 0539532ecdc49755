// SPDX-License-Identifier: Apache-2.0
// One experiment over a range of parameters: who wins where. Values that report and views read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope::inline study {

// A parameter and the values it takes, as text: n over 1024, 2048, …
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const SweepAxis&) const = default;
};

struct StrategyTime {
  std::string strategy;
  double total_s = 0;
  std::optional<bool> allclose;  // none: the numbers were not computed
  double price_s = 0;            // to come from the experiment's own shardings and go back there (price.h)
  double priced_s() const { return total_s + price_s; }  // what decides who wins
  bool operator==(const StrategyTime&) const = default;
};

struct SweepPoint {
  std::vector<int32_t> at;            // per axis: place in its values
  std::vector<StrategyTime> ranking;  // least priced_s first, ties by name; empty: nothing could run
  int32_t skipped = 0;                // strategies that cannot run here
  bool operator==(const SweepPoint&) const = default;
};

// Between two neighbouring values of one axis, the others held, another strategy becomes the fastest.
struct Crossover {
  int32_t axis = 0;
  std::vector<int32_t> from, to;  // the two points, per axis
  std::string before, after;      // strategies
  bool operator==(const Crossover&) const = default;
};

struct CrossoverTable {
  std::string title;
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;  // the last axis runs fastest
  bool complete = true;            // false: cancelled, `points` are those that were done
  bool operator==(const CrossoverTable&) const = default;
};

// In order of axis, then of points.
std::vector<Crossover> crossovers(const CrossoverTable& table);
// The strategies that occur, by how often they win, then by name.
std::vector<std::string> strategies_of(const CrossoverTable& table);

}  // namespace shardscope::inline study
