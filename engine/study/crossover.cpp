// SPDX-License-Identifier: Apache-2.0
#include "engine/study/crossover.h"

#include <algorithm>
#include <map>

namespace shardscope::inline study {

std::vector<Crossover> crossovers(const CrossoverTable& table) {
  std::map<std::vector<int32_t>, const SweepPoint*> by_place;
  for (const SweepPoint& point : table.points) by_place[point.at] = &point;
  std::vector<Crossover> out;
  for (size_t axis = 0; axis < table.axes.size(); ++axis) {
    for (const SweepPoint& point : table.points) {
      std::vector<int32_t> next = point.at;
      ++next[axis];
      const auto neighbour = by_place.find(next);
      if (neighbour == by_place.end() || point.ranking.empty() || neighbour->second->ranking.empty())
        continue;
      const std::string& before = point.ranking.front().strategy;
      const std::string& after = neighbour->second->ranking.front().strategy;
      if (before != after) out.push_back({static_cast<int32_t>(axis), point.at, next, before, after});
    }
  }
  return out;
}

std::vector<std::string> strategies_of(const CrossoverTable& table) {
  std::map<std::string, int64_t> wins;
  for (const SweepPoint& point : table.points) {
    for (size_t i = 0; i < point.ranking.size(); ++i) wins[point.ranking[i].strategy] += i == 0 ? 1 : 0;
  }
  std::vector<std::string> out;
  for (const auto& [strategy, count] : wins) out.push_back(strategy);
  std::stable_sort(out.begin(), out.end(),
                   [&](const std::string& a, const std::string& b) { return wins[a] > wins[b]; });
  return out;
}

}  // namespace shardscope::inline study
