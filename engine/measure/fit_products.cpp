// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/measure/chip_fit.h"
#include "engine/measure/predict.h"

namespace shardscope::inline measure {
namespace {

constexpr Bounds kShare{0.01, 1}, kLaunch{1e-9, 1e-2};

// Seconds of points on a chip whose numbers `write` changes; zero of a point that the chip cannot time.
template <class Write>
auto predictor(const Hardware& chip, const PointList& points, Write write) {
  return [base = bare(chip), points, write](std::span<const double> values, std::span<double> seconds) {
    Hardware tried = base;
    write(tried, values);
    for (size_t i = 0; i < points.size(); ++i) {
      const auto predicted = predicted_seconds(tried, *points[i]);
      CHECK(predicted.ok(), predicted.error().text());
      seconds[i] = *predicted;
    }
  };
}

void write_product(Hardware& chip, std::span<const double> values) {
  chip.compute.efficiency = values[0];
  chip.memory.hbm_efficiency = values[1];
  chip.compute.launch_overhead_s = values[2];
}

FitTask product_task(const Hardware& chip, const PointList& points) {
  FitTask task;
  task.parameters = {{"compute.efficiency", "", chip.compute.efficiency, kShare, 0.7},
                     {"memory.hbm_efficiency", "", chip.memory.hbm_efficiency, kShare, 0.8},
                     {"compute.launch_overhead_s", "s", chip.compute.launch_overhead_s, kLaunch, 8e-6}};
  task.measured = measured_seconds(points);
  task.sizes = sizes_of(points);
  task.predict = predictor(chip, points, &write_product);
  return task;
}

// Tiles as libraries of kernels have them. One is taken only where it leaves much less unexplained: it is a
// number more to fit by.
Result<void> choose_tile(Hardware& chip, const PointList& points, const std::stop_token& stop) {
  constexpr double kMuchBetter = 0.8;
  if (!chip.compute.units) return {};
  constexpr std::array<std::array<int64_t, 3>, 5> tiles = {
      {{64, 64, 64}, {128, 64, 64}, {128, 128, 64}, {128, 256, 64}, {256, 128, 64}}};
  const std::optional<std::array<int64_t, 3>> given = chip.compute.tile;
  chip.compute.tile.reset();
  const FitTask plain = product_task(chip, points);
  TRY(const auto without, best_values(plain, stop));
  double least = kMuchBetter * mean_log_error(plain, without);
  std::optional<std::array<int64_t, 3>> best;
  for (const auto& tile : tiles) {
    chip.compute.tile = tile;
    const FitTask task = product_task(chip, points);
    TRY(const auto values, best_values(task, stop));
    const double left = mean_log_error(task, values);
    if (left >= least) continue;
    least = left;
    best = tile;
  }
  chip.compute.tile = best ? best : given;
  return {};
}

}  // namespace

Result<void> fit_products(ChipFit& out, const PointList& points, const FitMeans& means) {
  if (points.empty()) return {};
  if (static_cast<int64_t>(points.size()) >= means.effort.least_points) {
    TRY_VOID(choose_tile(out.chip, points, means.stop));
  }
  const FitTask task = product_task(out.chip, points);
  TRY(const Fitted fitted, fit(task, means.effort, means.workers, means.stop));
  std::vector<double> values;
  for (size_t k = 0; k < task.parameters.size(); ++k) {
    values.push_back(fitted.parameters[k].value);
    list_parameter(out, task.parameters[k], fitted.parameters[k], points.size());
  }
  write_product(out.chip, values);
  return {};
}

Result<void> fit_elementwise(ChipFit& out, const PointList& points, const FitMeans& means) {
  if (points.empty()) return {};
  const auto write = [](Hardware& chip, std::span<const double> values) {
    chip.compute.elementwise_launch_s = values[0];
  };
  FitTask task;
  task.parameters = {{"compute.elementwise_launch_s", "s", out.chip.compute.elementwise_launch_s, kLaunch,
                      8e-6, out.chip.compute.elementwise_launch_s > 0}};
  task.measured = measured_seconds(points);
  task.sizes = sizes_of(points);
  task.predict = predictor(out.chip, points, write);
  TRY(const Fitted fitted, fit(task, means.effort, means.workers, means.stop));
  list_parameter(out, task.parameters[0], fitted.parameters[0], points.size());
  out.chip.compute.elementwise_launch_s = fitted.parameters[0].value;
  return {};
}

}  // namespace shardscope::inline measure
