// SPDX-License-Identifier: Apache-2.0
// The numbers that a run comes to, each once: JSON, tables, filters, reports, lessons and the record read
// them here. A new number is a row.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/run/numerics_report.h"
#include "engine/run/timeline.h"

namespace shardscope::inline run {

struct Run;

enum class RunMetric : unsigned char {
  time,
  compute,
  communication,
  exposed,
  idle,
  overlap,
  mxu_utilisation,
  flops,
  sent,
  received,
  relayed,
  mean_peak,
  most_flops,
  most_sent,
  most_received,
  most_relayed,
  peak,
  critical_compute,
  critical_memory,
  critical_latency,
  critical_bandwidth,
  critical_overhead,
  wall,
  mean_wall,
  median_wall,
  stdev_wall,
  min_wall,
  max_wall,
  p95_wall,
  p99_wall,
  allclose,
  rtol,
  atol,
  max_abs,
  mean_abs,
  median_abs,
  percent_bad,
  percent_above_0_1,
  smallest_atol,
};
inline constexpr size_t kRunMetrics = static_cast<size_t>(RunMetric::smallest_atol) + 1;

// What metrics are read off.
struct RunFigures {
  SimulatedSummary simulated;
  PerDevice mean, most;
  double mxu_utilisation = 1;
  const CriticalPath* critical = nullptr;
  const Measured* measured = nullptr;        // null: it was not executed
  const NumericsReport* numerics = nullptr;  // null: it was not compared with a reference
};

// truth: 1 or 0; number: of the result's own unit.
enum class MetricUnit { seconds, bytes, fraction, flops, percent, number, truth };
const char* symbol(MetricUnit unit);  // "s", "B", "flop", "%"; "": it has none
// Which object of a run's JSON has it.
enum class MetricGroup { simulated, per_device, per_device_max, critical_path, measured, numerics };

struct Metric {
  RunMetric id;
  MetricGroup group;
  const char* key;     // in that object
  const char* column;  // of the record's table `run`, of numerics' group of `numerics`; "": none
  const char* title;   // heads columns
  MetricUnit unit;
  const char* meaning;  // one sentence
  std::optional<double> (*of)(const RunFigures&);
  double Measured::*in_measured = nullptr;  // of its group: where a record that is read puts it
  double NumericsReport::*in_numerics = nullptr;

  bool kept() const { return *column != '\0'; }  // by the record
  bool kept_in_run() const { return kept() && group != MetricGroup::numerics; }
};
// By RunMetric.
std::span<const Metric> run_metrics();
inline const Metric& metric(RunMetric id) {
  return run_metrics()[static_cast<size_t>(id)];
}
const Metric* find_metric_column(std::string_view column);  // null: no metric is kept in it

inline constexpr const char* kNoNumber = "–";

// All of them, of one run; none where a run has no such number.
class RunNumbers {
 public:
  std::optional<double>& operator[](RunMetric id) { return values_[static_cast<size_t>(id)]; }
  const std::optional<double>& operator[](RunMetric id) const { return values_[static_cast<size_t>(id)]; }
  double get(RunMetric id) const { return (*this)[id].value_or(0); }
  // "6.00 µs", "2.0 MiB", "25 %"; kNoNumber where there is none.
  std::string text(RunMetric id) const;
  bool operator==(const RunNumbers&) const = default;

 private:
  std::array<std::optional<double>, kRunMetrics> values_{};
};
RunNumbers numbers_of(const Timeline& timeline);  // of a run that was not executed
RunNumbers numbers_of(const Run& run);

}  // namespace shardscope::inline run
