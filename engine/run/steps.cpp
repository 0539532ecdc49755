// SPDX-License-Identifier: Apache-2.0
#include "engine/run/steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardscope::inline run {
namespace {

double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const size_t low = static_cast<size_t>(place);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::vector<double> times_of(const RunSteps& steps, StepClock of, bool warmup_too) {
  std::vector<double> out;
  for (const RunStep& step : steps.steps) {
    if (step.warmup && !warmup_too) continue;
    if (of == StepClock::simulated) out.push_back(to_seconds(step.simulated.length()));
    if (of == StepClock::measured && step.wall_s) out.push_back(*step.wall_s);
  }
  return out;
}

}  // namespace

std::optional<StepStatistics> statistics_of(const RunSteps& steps, StepClock of) {
  std::vector<double> times = times_of(steps, of, false);
  if (times.empty()) return std::nullopt;
  const auto count = std::ssize(times);
  const Measured m = measured_of(std::move(times));
  return StepStatistics{count, m.mean_s, m.median_s, m.stdev_s, m.min_s, m.max_s};
}

Measured measured_of(std::vector<double> times) {
  Measured m;
  std::ranges::sort(times);
  m.mean_s = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  double squares = 0;
  for (const double t : times) squares += (t - m.mean_s) * (t - m.mean_s);
  m.stdev_s = std::sqrt(squares / static_cast<double>(times.size()));
  m.wall_s = m.median_s = percentile(times, 0.5);
  m.min_s = times.front();
  m.max_s = times.back();
  m.p95_s = percentile(times, 0.95);
  m.p99_s = percentile(times, 0.99);
  m.repeat = std::ssize(times);
  return m;
}

Measured measured_of(const RunSteps& steps) {
  std::vector<double> times = times_of(steps, StepClock::measured, false);
  const auto all = std::ssize(steps.steps);
  if (times.empty()) times = times_of(steps, StepClock::measured, true);
  Measured m = measured_of(std::move(times));
  m.warmup = all - m.repeat;
  return m;
}

}  // namespace shardscope::inline run
