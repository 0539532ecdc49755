// SPDX-License-Identifier: Apache-2.0
#include "engine/run/metrics.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope {
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
}};
static_assert([] {
  for (size_t k = 0; k < kRunMetrics; ++k)
    if (static_cast<size_t>(kMetrics[k].id) != k) return false;
  return true;
}());

}  // namespace

const char* symbol(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::seconds:
      return "s";
    case MetricUnit::bytes:
      return "B";
    case MetricUnit::flops:
      return "flop";
    case MetricUnit::fraction:
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
    case MetricUnit::flops:
      break;
  }
  return fmt::format("{:.4g}", *value);
}

RunNumbers numbers_of(const Timeline& timeline) {
  const RunFigures figures{summarise(timeline), mean_per_device(timeline), max_per_device(timeline),
                           timeline.mxu_utilisation};
  RunNumbers out;
  for (const Metric& m : kMetrics) out[m.id] = m.of(figures);
  return out;
}

}  // namespace shardscope
