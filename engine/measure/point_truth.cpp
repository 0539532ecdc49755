// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/point_truth.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/parallel.h"
#include "engine/measure/predict.h"

namespace shardscope::inline measure {
namespace {

constexpr double kLargeFlops = 1e10;
constexpr double kMiB = 1 << 20;

std::string kind_of(const MeasuredPoint& point) {
  switch (point.kind) {
    case PointKind::product: {
      if (point.slices > 1) return fmt::format("sliced matmul {}", name(*point.dtype));
      if (point.size.batch > 1) return fmt::format("batched matmul {}", name(*point.dtype));
      return fmt::format("matmul {}, {}", name(*point.dtype),
                         size_of(point) >= kLargeFlops ? "10 GFLOP and more" : "below 10 GFLOP");
    }
    case PointKind::collective: {
      const auto bytes = static_cast<double>(point.bytes);
      return fmt::format("{}, {}", name(point.collective),
                         bytes < kMiB        ? "below 1 MiB"
                         : bytes < 64 * kMiB ? "1 to 64 MiB"
                                             : "64 MiB and more");
    }
    default:
      return point.op;
  }
}

const std::string* source_of_row(const Hardware& chip, const std::string& key) {
  const auto found = chip.sources.find(key);
  return found == chip.sources.end() ? nullptr : &found->second;
}

using Chips = std::map<std::string, Result<Hardware>>;

// Those that points name: shipped ones, and files.
Result<Chips> chips_of(const std::vector<MeasuredPoint>& points) {
  Chips out;
  for (const std::string& name : hardware_preset_names()) {
    TRY(Hardware chip, find_hardware(name));
    out.emplace(name, std::move(chip));
  }
  for (const MeasuredPoint& point : points)
    if (point.chip.ends_with(".toml") && !out.contains(point.chip))
      out.emplace(point.chip, find_hardware(point.chip));
  return out;
}

TruthPoint beside(const MeasuredPoint& point, const Chips& chips, const std::stop_token& stop) {
  TruthPoint out{point.id, point.chip, kind_of(point), point.measured_s, std::nullopt};
  const auto chip = chips.find(point.chip);
  if (chip == chips.end() || !chip->second.ok()) {
    out.why = chip == chips.end() ? fmt::format("no chip '{}' is shipped", point.chip)
                                  : chip->second.error().text();
    return out;
  }
  out.fitted = is_fitted_to(*chip->second, point);
  const Result<double> seconds = predicted_seconds(*chip->second, point, stop);
  if (seconds.ok()) {
    out.predicted_s = *seconds;
    return out;
  }
  Error error = seconds.error();
  if (error.where == point.id) error.where.clear();  // of several points it is one reason
  out.why = error.text();
  return out;
}

}  // namespace

bool is_fitted_to(const Hardware& chip, const MeasuredPoint& point) {
  if (point.source.empty() || point.kind == PointKind::unknown) return false;
  if (spans_nodes(chip, point)) return false;
  const std::string* row = nullptr;
  if (point.kind == PointKind::product) {
    if (const ProductTiles* tiles = product_tiles(chip, *point.dtype))
      row = source_of_row(chip, fmt::format("product.{}", name(tiles->types.front())));
  } else if (point.kind == PointKind::collective) {
    if (const LinkOp* op = row_for(chip, point)) row = source_of_row(chip, key_of(*op));
  } else if (const std::string kind = work_kind(chip, point); work_rate(chip, kind) != nullptr) {
    row = source_of_row(chip, "work." + kind);
  }
  if (row != nullptr) return row->find(point.source) != std::string::npos;
  // Permutes that no row times go as the links say, which were not fitted to them.
  const bool permutes = point.kind == PointKind::collective && point.collective == CollectiveKind::permute &&
                        row_for(chip, point) == nullptr;
  return chip.calibration && !permutes && chip.calibration->source.find(point.source) != std::string::npos;
}

Result<std::vector<TruthPoint>> truth_of_points(const std::vector<MeasuredPoint>& points, int threads,
                                                const std::stop_token& stop) {
  TRY(const Chips chips, chips_of(points));
  std::vector<TruthPoint> out(points.size());
  const Workers workers(threads);
  workers.parallel_for(static_cast<int64_t>(points.size()), [&](int64_t k) {
    const auto place = static_cast<size_t>(k);
    if (!stop.stop_requested()) out[place] = beside(points[place], chips, stop);
  });
  if (stop.stop_requested()) return cancelled();
  return out;
}

}  // namespace shardscope::inline measure
