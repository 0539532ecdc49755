// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/base/hash.h"

namespace shardscope::inline measure {
namespace {

constexpr int kEvaluations = 10'000, kRefitEvaluations = 700;

// The parameters that are looked for; the others keep their presets.
struct Search {
  const FitTask& task;
  std::vector<bool> free;

  std::vector<double> values(const std::vector<double>& logs) const {
    std::vector<double> out;
    size_t next = 0;
    for (size_t k = 0; k < task.parameters.size(); ++k)
      out.push_back(free[k] ? std::exp(logs[next++]) : task.parameters[k].preset);
    return out;
  }
  std::vector<double> logs(const std::vector<double>& values) const {
    std::vector<double> out;
    for (size_t k = 0; k < values.size(); ++k)
      if (free[k]) out.push_back(std::log(values[k]));
    return out;
  }
  std::vector<Bounds> bounds() const {
    std::vector<Bounds> out;
    for (size_t k = 0; k < free.size(); ++k) {
      const Bounds& b = task.parameters[k].bounds;
      if (free[k]) out.push_back({std::log(b.low), std::log(b.high)});
    }
    return out;
  }
};

// The kink of each |log| rounded off by `rounded`.
double loss(const FitTask& task, const std::vector<double>& values, const std::vector<double>& measured,
            double rounded, std::vector<double>& seconds) {
  task.predict(values, seconds);
  double sum = 0;
  for (size_t i = 0; i < measured.size(); ++i)
    sum += std::hypot(std::log(seconds[i] / measured[i]), rounded) - rounded;
  return task.penalty ? sum + task.penalty(values) : sum;
}

Result<std::vector<double>> search(const Search& s, const std::vector<double>& from,
                                   const std::vector<double>& measured, int evaluations,
                                   const std::stop_token& stop) {
  std::vector<double> seconds(measured.size()), logs = s.logs(from);
  for (const double rounded : {0.03, 0.001, 0.0}) {
    const auto function = [&](const std::vector<double>& tried) {
      return loss(s.task, s.values(tried), measured, rounded, seconds);
    };
    const Surface surface = rounded > 0 ? Surface::smooth : Surface::kinks;
    TRY(Minimum found, minimise(surface, function, std::move(logs), s.bounds(), evaluations, stop));
    logs = std::move(found.at);
  }
  return s.values(logs);
}

// From the starts, and from two others around them: a sum of absolute values has more than one valley.
Result<std::vector<double>> search_widely(const Search& s, const std::stop_token& stop) {
  std::vector<double> best, seconds(s.task.measured.size());
  double least = 0;
  for (const double factor : {1.0, 0.4, 2.5}) {
    std::vector<double> start;
    for (const FitParameter& p : s.task.parameters)
      start.push_back(std::clamp(p.start * factor, p.bounds.low, p.bounds.high));
    TRY(std::vector<double> found, search(s, start, s.task.measured, kEvaluations, stop));
    const double there = loss(s.task, found, s.task.measured, 0, seconds);
    if (!best.empty() && there >= least) continue;
    best = std::move(found);
    least = there;
  }
  return best;
}

// For each point the residuals of those next to it in size; as far apart as they would be around the truth,
// which the fit has come nearer to by as many points as it has parameters.
std::vector<std::vector<double>> residuals_for(const FitTask& task, const std::vector<double>& fitted,
                                               double widened) {
  constexpr size_t kNeighbours = 7;
  const size_t count = fitted.size(), window = std::min(kNeighbours, count);
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return task.sizes[i]; });
  std::vector<std::vector<double>> out(count);
  for (size_t rank = 0; rank < count; ++rank) {
    const size_t first = std::min(rank - std::min(rank, window / 2), count - window);
    for (size_t k = first; k < first + window; ++k)
      out[order[rank]].push_back(widened * std::log(task.measured[order[k]] / fitted[order[k]]));
  }
  return out;
}

struct Intervals {
  std::vector<double> low, high;
};

Result<Intervals> bootstrap(const Search& s, const std::vector<double>& values, const FitEffort& effort,
                            const Workers& workers, const std::stop_token& stop) {
  const size_t points = s.task.measured.size();
  std::vector<double> fitted(points);
  s.task.predict(values, fitted);
  const auto looked_for = static_cast<size_t>(std::ranges::count(s.free, true));
  const double freedom = points > looked_for ? static_cast<double>(points - looked_for) : 1;
  const auto residuals = residuals_for(s.task, fitted, std::sqrt(static_cast<double>(points) / freedom));
  std::vector<std::vector<double>> draws(static_cast<size_t>(effort.resamples));
  workers.parallel_for(effort.resamples, [&](int64_t draw) {
    Dice dice(effort.seed * 0x9E3779B97F4A7C15ULL + static_cast<uint64_t>(draw));
    std::vector<double> measured(points), start = values;
    for (size_t i = 0; i < points; ++i)
      measured[i] = fitted[i] * std::exp(residuals[i][dice.below(residuals[i].size())]);
    for (double& value : start) value *= std::exp(1.4 * dice.uniform() - 0.7);
    auto found = search(s, start, measured, kRefitEvaluations, stop);
    if (found.ok()) draws[static_cast<size_t>(draw)] = *std::move(found);
  });
  if (stop.stop_requested()) return cancelled();
  Intervals out;
  for (size_t k = 0; k < values.size(); ++k) {
    std::vector<double> sorted;
    for (const auto& draw : draws) sorted.push_back(draw[k]);
    std::ranges::sort(sorted);
    const double last = static_cast<double>(sorted.size() - 1);
    out.low.push_back(sorted[static_cast<size_t>(std::floor(0.025 * last))]);
    out.high.push_back(sorted[static_cast<size_t>(std::ceil(0.975 * last))]);
  }
  return out;
}

double width(const FittedParameter& p) {
  return (p.high - p.low) / 2 / p.value;
}

// Whether the points tell that a parameter is not its preset, if not what it is: they are this much likelier
// (e^4 times, by the mean |log| of the best fits with and without it) where it is looked for.
Result<bool> is_told_from_preset(Search s, size_t parameter, double loss, const std::stop_token& stop) {
  constexpr double kMuchLikelier = 4, kLeastLoss = 1e-9;
  s.free[parameter] = false;
  TRY(const std::vector<double> values, search_widely(s, stop));
  const auto points = static_cast<double>(s.task.measured.size());
  const double kept = mean_log_error(s.task, values);
  return points * std::log(std::max(kept, kLeastLoss) / std::max(loss, kLeastLoss)) > kMuchLikelier;
}

// Of those looked for that keep their preset where they are not identified, those with wide intervals, the
// widest first.
std::vector<size_t> wide_ones(const Search& s, const std::vector<FittedParameter>& fitted) {
  std::vector<size_t> out;
  for (size_t k = 0; k < fitted.size(); ++k)
    if (s.free[k] && s.task.parameters[k].keeps_preset && !fitted[k].identified) out.push_back(k);
  std::ranges::stable_sort(out, std::greater<>(), [&](size_t k) { return width(fitted[k]); });
  return out;
}

}  // namespace

uint64_t Dice::bits() {
  return drawn_bits(state_);
}

double Dice::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

double mean_log_error(const FitTask& task, const std::vector<double>& values) {
  std::vector<double> seconds(task.measured.size());
  task.predict(values, seconds);
  double sum = 0;
  for (size_t i = 0; i < seconds.size(); ++i) sum += std::abs(std::log(seconds[i] / task.measured[i]));
  return seconds.empty() ? 0 : sum / static_cast<double>(seconds.size());
}

Result<std::vector<double>> best_values(const FitTask& task, const std::stop_token& stop) {
  return search_widely({task, std::vector<bool>(task.parameters.size(), true)}, stop);
}

Result<Fitted> fit(const FitTask& task, const FitEffort& effort, const Workers& workers,
                   const std::stop_token& stop) {
  const size_t count = task.parameters.size();
  const bool enough = static_cast<int64_t>(task.measured.size()) >= effort.least_points;
  Search s{task, std::vector<bool>(count, enough)};
  Fitted out;
  out.parameters.resize(count);
  for (;;) {
    TRY(const std::vector<double> values, search_widely(s, stop));
    for (size_t k = 0; k < count; ++k) out.parameters[k].value = values[k];
    out.loss = mean_log_error(task, values);
    if (std::ranges::count(s.free, true) == 0) break;
    TRY(const Intervals intervals, bootstrap(s, values, effort, workers, stop));
    for (size_t k = 0; k < count; ++k) {
      if (!s.free[k]) continue;
      FittedParameter& p = out.parameters[k];
      p = {values[k], std::min(intervals.low[k], values[k]), std::max(intervals.high[k], values[k]), true};
      p.identified = width(p) <= effort.widest;
    }
    std::optional<size_t> given_up;
    for (const size_t k : wide_ones(s, out.parameters)) {
      TRY(const bool is_distinct, is_told_from_preset(s, k, out.loss, stop));
      if (is_distinct) continue;
      given_up = k;
      break;
    }
    if (!given_up) break;
    s.free[*given_up] = false;
  }
  for (size_t k = 0; k < count; ++k) {
    FittedParameter& p = out.parameters[k];
    if (!enough) p.low = p.high = p.value;
  }
  return out;
}

}  // namespace shardscope::inline measure
