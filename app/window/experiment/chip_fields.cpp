// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/chip_fields.h"

#include <array>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kLargestCount = 1 << 20;

std::optional<double> as_number(std::optional<int64_t> count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}
std::optional<int64_t> as_count(std::optional<double> number) {
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

constexpr const char* kUnknown = "not published";

void add_compute(std::vector<ChipField>& out) {
  for (const ElementType type : problem_types()) {
    out.push_back({.key = "compute.peak_flops_per_s",
                   .section = "Compute",
                   .label = QString("peak %1").arg(name(type)),
                   .unit = "TFLOP/s",
                   .factor = 1e12,
                   .empty = kUnknown,
                   .get =
                       [type](const Hardware& h) {
                         const auto found = h.compute.peak_flops_per_s.find(type);
                         return found == h.compute.peak_flops_per_s.end() ? std::nullopt
                                                                          : std::optional(found->second);
                       },
                   .set =
                       [type](Hardware& h, std::optional<double> v) {
                         h.compute.peak_flops_per_s.erase(type);
                         if (v) h.compute.peak_flops_per_s[type] = *v;
                       }});
  }
  out.push_back({.key = "compute.efficiency",
                 .section = "Compute",
                 .label = "efficiency",
                 .unit = "of the peak",
                 .empty = "1",
                 .get = [](const Hardware& h) { return std::optional(h.compute.efficiency); },
                 .set = [](Hardware& h, std::optional<double> v) { h.compute.efficiency = v.value_or(1); }});
  out.push_back(
      {.key = "compute.launch_overhead_s",
       .section = "Compute",
       .label = "launch overhead",
       .unit = "µs a product",
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return std::optional(h.compute.launch_overhead_s); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.launch_overhead_s = v.value_or(0); }});
  out.push_back(
      {.key = "compute.mxu",
       .section = "Compute",
       .label = "matrix unit, rows",
       .unit = "elements",
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return as_number(h.compute.mxu_rows); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.mxu_rows = as_count(v).value_or(1); }});
  out.push_back(
      {.key = "compute.mxu",
       .section = "Compute",
       .label = "matrix unit, columns",
       .unit = "elements",
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return as_number(h.compute.mxu_cols); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.mxu_cols = as_count(v).value_or(1); }});
}

void add_memory(std::vector<ChipField>& out) {
  out.push_back({.key = "memory.hbm_bytes",
                 .section = "Memory",
                 .label = "HBM",
                 .unit = "GB",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.memory.hbm_bytes; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes = v; }});
  out.push_back({.key = "memory.hbm_bytes_per_s",
                 .section = "Memory",
                 .label = "HBM bandwidth",
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.memory.hbm_bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes_per_s = v; }});
  out.push_back(
      {.key = "memory.hbm_efficiency",
       .section = "Memory",
       .label = "HBM efficiency",
       .unit = "of the bandwidth",
       .empty = "1",
       .get = [](const Hardware& h) { return std::optional(h.memory.hbm_efficiency); },
       .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_efficiency = v.value_or(1); }});
  out.push_back({.key = "memory.fast_bytes",
                 .section = "Memory",
                 .label = "memory on the chip",
                 .unit = "MiB",
                 .factor = 1048576,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.memory.fast_bytes; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.fast_bytes = v; }});
}

void add_link(std::vector<ChipField>& out) {
  out.push_back({.key = "link.bytes_per_s",
                 .section = "Link",
                 .label = "bandwidth, one way",
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.link.bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.bytes_per_s = v; }});
  out.push_back({.key = "link.latency_s",
                 .section = "Link",
                 .label = "latency (α)",
                 .unit = "µs a hop",
                 .factor = 1e-6,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.link.latency_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.latency_s = v; }});
  out.push_back({.key = "link.efficiency",
                 .section = "Link",
                 .label = "efficiency",
                 .unit = "of the bandwidth",
                 .empty = "1",
                 .get = [](const Hardware& h) { return std::optional(h.link.efficiency); },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.efficiency = v.value_or(1); }});
  out.push_back(
      {.key = "link.launch_overhead_s",
       .section = "Link",
       .label = "launch overhead",
       .unit = "µs a collective",
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return std::optional(h.link.launch_overhead_s); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.launch_overhead_s = v.value_or(0); }});
  out.push_back(
      {.key = "link.links_per_axis",
       .section = "Link",
       .label = "links",
       .unit = "an axis",
       .whole = true,
       .empty = "2",
       .get = [](const Hardware& h) { return as_number(h.link.links_per_axis); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.links_per_axis = as_count(v).value_or(2); }});
}

void add_topology(std::vector<ChipField>& out) {
  out.push_back({.key = "torus_axes",
                 .section = "Topology",
                 .label = "axes of its torus",
                 .unit = "axes",
                 .whole = true,
                 .empty = "any number",
                 .get = [](const Hardware& h) { return as_number(h.torus_axes); },
                 .set = [](Hardware& h, std::optional<double> v) { h.torus_axes = as_count(v); }});
  out.push_back(
      {.key = "torus_wrap_multiple_of",
       .section = "Topology",
       .label = "an axis wraps at multiples of",
       .unit = "devices",
       .whole = true,
       .empty = "every axis wraps",
       .get = [](const Hardware& h) { return as_number(h.torus_wrap_multiple_of); },
       .set = [](Hardware& h, std::optional<double> v) { h.torus_wrap_multiple_of = as_count(v); }});
  out.push_back({.key = "node.devices",
                 .section = "Topology",
                 .label = "devices in a node",
                 .unit = "devices",
                 .whole = true,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return as_number(h.node_devices); },
                 .set = [](Hardware& h, std::optional<double> v) { h.node_devices = as_count(v); }});
  out.push_back({.key = "network.bytes_per_s",
                 .section = "Topology",
                 .label = "network bandwidth",
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.network_bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.network_bytes_per_s = v; }});
  out.push_back({.key = "network.latency_s",
                 .section = "Topology",
                 .label = "network latency",
                 .unit = "µs",
                 .factor = 1e-6,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.network_latency_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.network_latency_s = v; }});
}

}  // namespace

QString ChipField::text(const Hardware& hardware) const {
  const auto value = get(hardware);
  return value ? QString::number(*value / factor, 'g', 12) : QString();
}

Result<Hardware> ChipField::with(const Hardware& hardware, const QString& typed) const {
  Hardware out = hardware;
  const QString digits = typed.trimmed().remove(',');
  if (digits.isEmpty()) {
    set(out, std::nullopt);
  } else {
    bool good = false;
    const double value = digits.toDouble(&good);
    const bool fits = !whole || (value == std::floor(value) && std::abs(value) <= kLargestCount);
    if (!good || !std::isfinite(value) || !fits) {
      return invalid("got '" + typed.toStdString() + "', expected " +
                     (whole ? "a whole number" : "a number in " + unit.toStdString()));
    }
    set(out, value * factor);
  }
  // A file's own checks decide what is possible; their place in the text is of no use here.
  auto read = parse_hardware(hardware_toml(out), "");
  if (read.ok()) return read;
  Error reason = read.error();
  reason.where.clear();
  return reason;
}

std::vector<ChipField> chip_fields() {
  std::vector<ChipField> out;
  add_compute(out);
  add_memory(out);
  add_link(out);
  add_topology(out);
  return out;
}

}  // namespace shardscope
