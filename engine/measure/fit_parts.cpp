// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/measure/chip_fit.h"
#include "engine/measure/predict.h"

namespace shardscope::inline measure {
namespace {

// What is fitted of a row in parts; how many channels there are, and from which size on a message goes in
// parts, is the library's.
struct PartNumber {
  const char* key;
  const char* unit;
  Bounds bounds;
  double (*get)(const LinkOp& row);
  void (*set)(LinkOp& row, double value);
};

constexpr Bounds kPartLaunch{1e-7, 1e-2}, kPartRate{1e6, 1e13};

const std::vector<PartNumber>& part_numbers() {
  static const std::vector<PartNumber> table{
      {".launch_s", "s", kPartLaunch, [](const LinkOp& row) { return row.launch_s.value_or(0); },
       [](LinkOp& row, double v) { row.launch_s = v; }},
      {".bytes_per_s", "B/s", kPartRate, [](const LinkOp& row) { return row.bytes_per_s.value_or(0); },
       [](LinkOp& row, double v) { row.bytes_per_s = v; }},
      {".parts.bytes_per_s", "B/s", kPartRate, [](const LinkOp& row) { return row.parts->bytes_per_s; },
       [](LinkOp& row, double v) { row.parts->bytes_per_s = v; }},
      {".parts.one_peer_bytes_per_s", "B/s", kPartRate,
       [](const LinkOp& row) { return row.parts->one_peer_bytes_per_s.value_or(0); },
       [](LinkOp& row, double v) { row.parts->one_peer_bytes_per_s = v; }},
      {".parts.launch_s", "s", kPartLaunch, [](const LinkOp& row) { return row.parts->launch_s; },
       [](LinkOp& row, double v) { row.parts->launch_s = v; }},
      {".parts.small_bytes_per_s", "B/s", kPartRate,
       [](const LinkOp& row) { return row.parts->small_bytes_per_s; },
       [](LinkOp& row, double v) { row.parts->small_bytes_per_s = v; }}};
  return table;
}

// The row in parts with the numbers of a task.
struct PartsTask {
  Hardware chip;
  LinkOp row;
  std::vector<const PartNumber*> numbers;  // that the row has
  PointList points;

  LinkOp with(std::span<const double> values) const {
    LinkOp out = row;
    for (size_t k = 0; k < numbers.size(); ++k) numbers[k]->set(out, values[k]);
    return out;
  }

  FitTask task() const {
    FitTask out;
    for (const PartNumber* number : numbers) {
      const double now = number->get(row);
      out.parameters.push_back({key_of(row) + number->key, number->unit, now, number->bounds, now, false});
    }
    out.measured = measured_seconds(points);
    out.sizes = sizes_of(points);
    out.predict = [*this](std::span<const double> values, std::span<double> seconds) {
      const LinkOp of = with(values);
      for (size_t k = 0; k < points.size(); ++k) {
        const MeasuredPoint& point = *points[k];
        seconds[k] = row_seconds(chip, of, load_of(point.collective, point.group), point);
      }
    };
    return out;
  }
};

}  // namespace

Result<bool> fit_parts(ChipFit& fit_of, const PointList& points, const FitMeans& means) {
  const CollectiveKind kind = points[0]->collective;
  const auto found = std::ranges::find_if(
      fit_of.chip.link.ops, [&](const LinkOp& op) { return op.kind == name(kind) && op.parts && !op.axis; });
  if (found == fit_of.chip.link.ops.end()) return false;
  if (kind != CollectiveKind::permute || found->group) return true;
  if (static_cast<int64_t>(points.size()) < means.effort.least_points) return true;
  PartsTask task{bare(fit_of.chip), *found, {}, points};
  for (const PartNumber& number : part_numbers())
    if (number.get(*found) > 0) task.numbers.push_back(&number);
  const FitTask wanted = task.task();
  TRY(const Fitted fitted, fit(wanted, means.effort, means.workers, means.stop));
  std::vector<double> values;
  for (const FittedParameter& p : fitted.parameters) values.push_back(p.value);
  *found = task.with(values);
  fit_of.chip.sources.erase(key_of(*found));
  for (size_t k = 0; k < values.size(); ++k)
    list_parameter(fit_of, wanted.parameters[k], fitted.parameters[k], points.size());
  return true;
}

}  // namespace shardscope::inline measure
