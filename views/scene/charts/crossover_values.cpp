// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/crossover_values.h"

#include <algorithm>
#include <cstdlib>

namespace shardscope::inline views {

std::optional<std::vector<double>> numbers_of(const SweepAxis& axis) {
  std::vector<double> out;
  for (const std::string& value : axis.values) {
    char* end = nullptr;
    out.push_back(std::strtod(value.c_str(), &end));
    if (value.empty() || *end != '\0') return std::nullopt;
  }
  return out;
}

size_t main_axis(const CrossoverTable& table) {
  size_t best = 0;
  const auto worth = [&](size_t a) {
    return std::pair(numbers_of(table.axes[a]).has_value() && table.axes[a].values.size() > 1,
                     table.axes[a].values.size());
  };
  for (size_t a = 1; a < table.axes.size(); ++a) {
    if (worth(a) > worth(best)) best = a;
  }
  return best;
}

ValueAxis value_axis(const SweepAxis& axis, float start, float length) {
  ValueAxis out;
  const size_t count = axis.values.size();
  const auto numbers = numbers_of(axis);
  const bool increasing = numbers && count > 1 && numbers->front() > 0 &&
                          std::is_sorted(numbers->begin(), numbers->end()) &&
                          std::adjacent_find(numbers->begin(), numbers->end()) == numbers->end();
  const float margin = std::min(length / static_cast<float>(2 * std::max<size_t>(count, 1)), length / 12);
  if (increasing) {
    const PlotAxis range{numbers->back() >= 8 * numbers->front(), numbers->front(), numbers->back(),
                         start + margin, length - 2 * margin};
    for (const double number : *numbers) out.x.push_back(range.at(number));
  } else {
    const float cell = length / static_cast<float>(std::max<size_t>(count, 1));
    for (size_t i = 0; i < count; ++i) out.x.push_back(start + cell * (static_cast<float>(i) + 0.5F));
  }
  out.edges.push_back(start);
  for (size_t i = 0; i + 1 < count; ++i) out.edges.push_back((out.x[i] + out.x[i + 1]) / 2);
  out.edges.push_back(start + length);
  return out;
}

std::vector<CrossoverPanelPoints> panels_of(const CrossoverTable& table, size_t along) {
  std::map<std::vector<int32_t>, CrossoverPanelPoints> found;
  for (size_t p = 0; p < table.points.size(); ++p) {
    std::vector<int32_t> key = table.points[p].at;
    key.erase(key.begin() + static_cast<std::ptrdiff_t>(along));
    CrossoverPanelPoints& panel = found[key];
    panel.points.push_back(p);
    if (!panel.title.empty()) continue;
    for (size_t a = 0; a < table.axes.size(); ++a) {
      if (a == along) continue;
      const SweepAxis& axis = table.axes[a];
      panel.title += (panel.title.empty() ? "" : ", ") + axis.name + " = " +
                     axis.values[static_cast<size_t>(table.points[p].at[a])];
    }
  }
  std::vector<CrossoverPanelPoints> out;
  for (auto& [key, panel] : found) {
    std::sort(panel.points.begin(), panel.points.end(),
              [&](size_t a, size_t b) { return table.points[a].at[along] < table.points[b].at[along]; });
    out.push_back(std::move(panel));
  }
  return out;
}

std::vector<std::string> told_strategies(const CrossoverTable& table, size_t most) {
  std::map<std::string, int64_t> wins;
  std::map<std::string, double> nearest;  // least ratio to the fastest of a point
  for (const SweepPoint& point : table.points) {
    for (size_t i = 0; i < point.ranking.size(); ++i) {
      const StrategyTime& time = point.ranking[i];
      wins[time.strategy] += i == 0 ? 1 : 0;
      const double ratio = time.priced_s() / std::max(point.ranking[0].priced_s(), 1e-300);
      const auto [entry, added] = nearest.try_emplace(time.strategy, ratio);
      if (!added) entry->second = std::min(entry->second, ratio);
    }
  }
  std::vector<std::string> out;
  for (const auto& [strategy, ratio] : nearest) out.push_back(strategy);
  std::stable_sort(out.begin(), out.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(-wins[a], nearest[a]) < std::pair(-wins[b], nearest[b]);
  });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace shardscope::inline views
