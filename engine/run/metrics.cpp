// SPDX-License-Identifier: Apache-2.0
#include "engine/run/metrics.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/run/run.h"

namespace shardscope::inline run {
namespace {

using Figures = RunFigures;
using Group = MetricGroup;
using Unit = MetricUnit;

template <double SimulatedSummary::*member>
std::optional<double> simulated(const Figures& f) {
  return f.simulated.*member;
}
template <double PerDevice::*member>
std::optional<double> mean(const Figures& f) {
  return f.mean.*member;
}
template <double PerDevice::*member>
std::optional<double> most(const Figures& f) {
  return f.most.*member;
}
template <Picoseconds CriticalPath::*member>
std::optional<double> critical(const Figures& f) {
  return to_seconds(f.critical->*member);
}
template <double Measured::*member>
std::optional<double> measured(const Figures& f) {
  return f.measured == nullptr ? std::nullopt : std::optional(f.measured->*member);
}
template <double Measured::*member>
constexpr Metric measured_metric(RunMetric id, const char* key, const char* title, const char* meaning) {
  return {id, Group::measured, key, key, title, Unit::seconds, meaning, measured<member>, member};
}
template <double NumericsReport::*member>
std::optional<double> compared(const Figures& f) {
  return f.numerics == nullptr ? std::nullopt : std::optional(f.numerics->*member);
}
template <double NumericsReport::*member>
constexpr Metric numerics_metric(RunMetric id, const char* key, const char* title, Unit unit,
                                 const char* meaning) {
  return {id, Group::numerics, key, key, title, unit, meaning, compared<member>, nullptr, member};
}
std::optional<double> is_allclose(const Figures& f) {
  return f.numerics == nullptr ? std::nullopt : std::optional(f.numerics->allclose ? 1.0 : 0.0);
}

// In the order of RunMetric. Times are those of one device: the one with the most exposed communication.
constexpr std::array<Metric, kRunMetrics> kMetrics{{
    {RunMetric::time, Group::simulated, "total_s", "total_s", "time", Unit::seconds,
     "Simulated time: end of the last event", simulated<&SimulatedSummary::total_s>},
    {RunMetric::compute, Group::simulated, "compute_s", "compute_s", "compute", Unit::seconds,
     "Time that the device computes, of the one with the most exposed communication",
     simulated<&SimulatedSummary::compute_s>},
    {RunMetric::communication, Group::simulated, "comm_s", "comm_s", "communication", Unit::seconds,
     "Time with a transfer of that device", simulated<&SimulatedSummary::comm_s>},
    {RunMetric::exposed, Group::simulated, "exposed_comm_s", "exposed_comm_s", "exposed", Unit::seconds,
     "Communication that nothing hides: comm minus compute, on the device with the most of it",
     simulated<&SimulatedSummary::exposed_comm_s>},
    {RunMetric::idle, Group::simulated, "idle_s", "idle_s", "idle", Unit::seconds,
     "Time without compute and communication on that device", simulated<&SimulatedSummary::idle_s>},
    {RunMetric::overlap, Group::simulated, "overlap", "communication_overlap", "overlap", Unit::fraction,
     "1 − exposed / comm", [](const Figures& f) { return f.simulated.overlap; }},
    {RunMetric::mxu_utilisation, Group::simulated, "mxu_utilisation", "mxu_utilisation", "mxu",
     Unit::fraction, "Flops over padded flops",
     [](const Figures& f) { return std::optional(f.mxu_utilisation); }},
    {RunMetric::flops, Group::per_device, "flops", "flops", "flops", Unit::flops,
     "Operations of products on a device, unpadded, mean over devices", mean<&PerDevice::flops>},
    {RunMetric::sent, Group::per_device, "bytes_sent", "bytes_sent", "sent/dev", Unit::bytes,
     "Bytes that a device sends, mean over devices", mean<&PerDevice::bytes_sent>},
    {RunMetric::received, Group::per_device, "bytes_received", "bytes_received", "received/dev", Unit::bytes,
     "Bytes that a device receives, mean over devices", mean<&PerDevice::bytes_received>},
    {RunMetric::relayed, Group::per_device, "bytes_relayed", "bytes_relayed", "relayed/dev", Unit::bytes,
     "Bytes of others that cross a device, mean over devices", mean<&PerDevice::bytes_relayed>},
    {RunMetric::mean_peak, Group::per_device, "peak_bytes", "", "mean peak", Unit::bytes,
     "Most bytes that live at once on a device, mean over devices", mean<&PerDevice::peak_bytes>},
    {RunMetric::most_flops, Group::per_device_max, "flops", "", "most flops", Unit::flops,
     "Operations of products on the device with the most of them", most<&PerDevice::flops>},
    {RunMetric::most_sent, Group::per_device_max, "bytes_sent", "", "most sent", Unit::bytes,
     "Bytes that the device sends that sends most", most<&PerDevice::bytes_sent>},
    {RunMetric::most_received, Group::per_device_max, "bytes_received", "", "most received", Unit::bytes,
     "Bytes that the device receives that receives most", most<&PerDevice::bytes_received>},
    {RunMetric::most_relayed, Group::per_device_max, "bytes_relayed", "", "most relayed", Unit::bytes,
     "Bytes of others that cross the device that most cross", most<&PerDevice::bytes_relayed>},
    {RunMetric::peak, Group::per_device_max, "peak_bytes", "peak_bytes", "peak mem", Unit::bytes,
     "Most bytes that live at once on a device", most<&PerDevice::peak_bytes>},
    {RunMetric::critical_compute, Group::critical_path, "compute_s", "", "critical compute", Unit::seconds,
     "Compute on the critical path", critical<&CriticalPath::compute>},
    {RunMetric::critical_memory, Group::critical_path, "memory_s", "", "critical memory", Unit::seconds,
     "Memory on the critical path", critical<&CriticalPath::memory>},
    {RunMetric::critical_latency, Group::critical_path, "latency_s", "", "critical latency", Unit::seconds,
     "Latency on the critical path", critical<&CriticalPath::latency>},
    {RunMetric::critical_bandwidth, Group::critical_path, "bandwidth_s", "", "critical bandwidth",
     Unit::seconds, "Bandwidth on the critical path", critical<&CriticalPath::bandwidth>},
    {RunMetric::critical_overhead, Group::critical_path, "overhead_s", "", "critical overhead", Unit::seconds,
     "Launch overhead on the critical path", critical<&CriticalPath::overhead>},
    measured_metric<&Measured::wall_s>(RunMetric::wall, "wall_s", "wall", "Measured on this machine, median"),
    measured_metric<&Measured::mean_s>(RunMetric::mean_wall, "mean_s", "mean wall", "Measured, mean"),
    measured_metric<&Measured::median_s>(RunMetric::median_wall, "median_s", "median wall",
                                         "Measured, median"),
    measured_metric<&Measured::stdev_s>(RunMetric::stdev_wall, "stdev_s", "stdev wall",
                                        "Measured, standard deviation"),
    measured_metric<&Measured::min_s>(RunMetric::min_wall, "min_s", "least wall", "Measured, least"),
    measured_metric<&Measured::max_s>(RunMetric::max_wall, "max_s", "most wall", "Measured, most"),
    measured_metric<&Measured::p95_s>(RunMetric::p95_wall, "p95_s", "p95 wall", "Measured, 95th percentile"),
    measured_metric<&Measured::p99_s>(RunMetric::p99_wall, "p99_s", "p99 wall", "Measured, 99th percentile"),
    {RunMetric::allclose, Group::numerics, "allclose", "allclose", "allclose", Unit::truth,
     "1: within the tolerance", is_allclose},
    numerics_metric<&NumericsReport::rtol>(RunMetric::rtol, "rtol", "rtol", Unit::number,
                                           "Relative tolerance"),
    numerics_metric<&NumericsReport::atol>(RunMetric::atol, "atol", "atol", Unit::number,
                                           "Absolute tolerance"),
    numerics_metric<&NumericsReport::max_abs>(RunMetric::max_abs, "max_abs", "largest difference",
                                              Unit::number, "Largest difference"),
    numerics_metric<&NumericsReport::mean_abs>(RunMetric::mean_abs, "mean_abs", "mean difference",
                                               Unit::number, "Mean difference"),
    numerics_metric<&NumericsReport::median_abs>(RunMetric::median_abs, "median_abs", "median difference",
                                                 Unit::number, "Median difference"),
    numerics_metric<&NumericsReport::percent_bad>(RunMetric::percent_bad, "percent_bad", "wrong elements",
                                                  Unit::percent, "Elements outside of the tolerance"),
    numerics_metric<&NumericsReport::percent_above_0_1>(RunMetric::percent_above_0_1, "percent_above_0_1",
                                                        "above 0.1 %", Unit::percent,
                                                        "Elements with a relative difference above 0.1"),
    numerics_metric<&NumericsReport::smallest_atol>(RunMetric::smallest_atol, "smallest_atol",
                                                    "smallest atol", Unit::number,
                                                    "Absolute tolerance that passes"),
}};
static_assert([] {
  for (size_t k = 0; k < kRunMetrics; ++k)
    if (static_cast<size_t>(kMetrics[k].id) != k) return false;
  return true;
}());

RunNumbers numbers_of(const Timeline& timeline, const Measured* executed, const NumericsReport* compared) {
  const RunFigures figures{summarise(timeline),
                           mean_per_device(timeline),
                           max_per_device(timeline),
                           timeline.mxu_utilisation,
                           &timeline.critical_path,
                           executed,
                           compared};
  RunNumbers out;
  for (const Metric& m : kMetrics) out[m.id] = m.of(figures);
  return out;
}

}  // namespace

const char* symbol(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::seconds:
      return "s";
    case MetricUnit::bytes:
      return "B";
    case MetricUnit::flops:
      return "flop";
    case MetricUnit::percent:
      return "%";
    case MetricUnit::fraction:
    case MetricUnit::number:
    case MetricUnit::truth:
      break;
  }
  return "";
}

std::span<const Metric> run_metrics() {
  return kMetrics;
}

const Metric* find_metric_column(std::string_view column) {
  const auto found = std::ranges::find_if(kMetrics, [&](const Metric& m) { return m.column == column; });
  return column.empty() || found == kMetrics.end() ? nullptr : &*found;
}

std::string RunNumbers::text(RunMetric id) const {
  const std::optional<double>& value = (*this)[id];
  if (!value) return kNoNumber;
  switch (metric(id).unit) {
    case MetricUnit::seconds:
      return format_seconds(*value);
    case MetricUnit::bytes:
      return format_bytes(*value);
    case MetricUnit::fraction:
      return format_percent(*value);
    case MetricUnit::percent:
      return format_percent(*value / 100);
    case MetricUnit::truth:
      return *value == 0 ? "no" : "yes";
    case MetricUnit::flops:
    case MetricUnit::number:
      break;
  }
  return fmt::format("{:.4g}", *value);
}

RunNumbers numbers_of(const Timeline& timeline) {
  return numbers_of(timeline, nullptr, nullptr);
}

RunNumbers numbers_of(const Run& run) {
  return numbers_of(run.timeline, run.measured ? &*run.measured : nullptr,
                    run.numerics.checked ? &run.numerics : nullptr);
}

}  // namespace shardscope::inline run
