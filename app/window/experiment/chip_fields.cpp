// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/chip_fields.h"

#include <array>
#include <cmath>

#include "app/window/document/language.h"

namespace shardscope {
namespace {

constexpr double kLargestCount = 1 << 20;

std::optional<double> as_number(std::optional<int64_t> count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}
std::optional<int64_t> as_count(std::optional<double> number) {
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

constexpr const char* kUnknown = to_say("not published");

void add_compute(std::vector<ChipField>& out) {
  for (const ElementType type : problem_types()) {
    out.push_back({.key = "compute.peak_flops_per_s",
                   .section = "Compute"_tr,
                   .label = "peak %1"_tr.arg(name(type)),
                   .unit = "TFLOP/s",
                   .factor = 1e12,
                   .empty = spoken(kUnknown),
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
                 .section = "Compute"_tr,
                 .label = "efficiency"_tr,
                 .unit = "of the peak"_tr,
                 .empty = "1",
                 .get = [](const Hardware& h) { return std::optional(h.compute.efficiency); },
                 .set = [](Hardware& h, std::optional<double> v) { h.compute.efficiency = v.value_or(1); }});
  out.push_back(
      {.key = "compute.launch_overhead_s",
       .section = "Compute"_tr,
       .label = "launch overhead"_tr,
       .unit = "µs a product"_tr,
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return std::optional(h.compute.launch_overhead_s); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.launch_overhead_s = v.value_or(0); }});
  out.push_back(
      {.key = "compute.mxu",
       .section = "Compute"_tr,
       .label = "matrix unit, rows"_tr,
       .unit = "elements"_tr,
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return as_number(h.compute.mxu_rows); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.mxu_rows = as_count(v).value_or(1); }});
  out.push_back(
      {.key = "compute.mxu",
       .section = "Compute"_tr,
       .label = "matrix unit, columns"_tr,
       .unit = "elements"_tr,
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return as_number(h.compute.mxu_cols); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.mxu_cols = as_count(v).value_or(1); }});
}

void add_memory(std::vector<ChipField>& out) {
  out.push_back({.key = "memory.hbm_bytes",
                 .section = "Memory"_tr,
                 .label = "HBM",
                 .unit = "GB",
                 .factor = 1e9,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return h.memory.hbm_bytes; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes = v; }});
  out.push_back({.key = "memory.hbm_bytes_per_s",
                 .section = "Memory"_tr,
                 .label = "HBM bandwidth"_tr,
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return h.memory.hbm_bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes_per_s = v; }});
  out.push_back(
      {.key = "memory.hbm_efficiency",
       .section = "Memory"_tr,
       .label = "HBM efficiency"_tr,
       .unit = "of the bandwidth"_tr,
       .empty = "1",
       .get = [](const Hardware& h) { return std::optional(h.memory.hbm_efficiency); },
       .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_efficiency = v.value_or(1); }});
  out.push_back({.key = "memory.fast_bytes",
                 .section = "Memory"_tr,
                 .label = "memory on the chip"_tr,
                 .unit = "MiB",
                 .factor = 1048576,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return h.memory.fast_bytes; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.fast_bytes = v; }});
}

void add_link(std::vector<ChipField>& out) {
  out.push_back({.key = "link.bytes_per_s",
                 .section = "Link"_tr,
                 .label = "bandwidth, one way"_tr,
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return h.link.bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.bytes_per_s = v; }});
  out.push_back({.key = "link.latency_s",
                 .section = "Link"_tr,
                 .label = "latency (α)"_tr,
                 .unit = "µs a hop"_tr,
                 .factor = 1e-6,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return h.link.latency_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.latency_s = v; }});
  out.push_back({.key = "link.efficiency",
                 .section = "Link"_tr,
                 .label = "efficiency"_tr,
                 .unit = "of the bandwidth"_tr,
                 .empty = "1",
                 .get = [](const Hardware& h) { return std::optional(h.link.efficiency); },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.efficiency = v.value_or(1); }});
  out.push_back(
      {.key = "link.launch_overhead_s",
       .section = "Link"_tr,
       .label = "launch overhead"_tr,
       .unit = "µs a collective"_tr,
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return std::optional(h.link.launch_overhead_s); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.launch_overhead_s = v.value_or(0); }});
  out.push_back(
      {.key = "link.links_per_axis",
       .section = "Link"_tr,
       .label = "links"_tr,
       .unit = "an axis"_tr,
       .whole = true,
       .empty = "2",
       .get = [](const Hardware& h) { return as_number(h.link.links_per_axis); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.links_per_axis = as_count(v).value_or(2); }});
}

void add_topology(std::vector<ChipField>& out) {
  out.push_back({.key = "torus_axes",
                 .section = "Topology"_tr,
                 .label = "axes of its torus"_tr,
                 .unit = "axes"_tr,
                 .whole = true,
                 .empty = "any number"_tr,
                 .get = [](const Hardware& h) { return as_number(h.torus_axes); },
                 .set = [](Hardware& h, std::optional<double> v) { h.torus_axes = as_count(v); }});
  out.push_back(
      {.key = "torus_wrap_multiple_of",
       .section = "Topology"_tr,
       .label = "an axis wraps at multiples of"_tr,
       .unit = "devices"_tr,
       .whole = true,
       .empty = "every axis wraps"_tr,
       .get = [](const Hardware& h) { return as_number(h.torus_wrap_multiple_of); },
       .set = [](Hardware& h, std::optional<double> v) { h.torus_wrap_multiple_of = as_count(v); }});
  out.push_back({.key = "node.devices",
                 .section = "Topology"_tr,
                 .label = "devices in a node"_tr,
                 .unit = "devices"_tr,
                 .whole = true,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return as_number(h.node_devices); },
                 .set = [](Hardware& h, std::optional<double> v) { h.node_devices = as_count(v); }});
  out.push_back({.key = "network.bytes_per_s",
                 .section = "Topology"_tr,
                 .label = "network bandwidth"_tr,
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = spoken(kUnknown),
                 .get = [](const Hardware& h) { return h.network_bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.network_bytes_per_s = v; }});
  out.push_back({.key = "network.latency_s",
                 .section = "Topology"_tr,
                 .label = "network latency"_tr,
                 .unit = "µs",
                 .factor = 1e-6,
                 .empty = spoken(kUnknown),
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
      return invalid(whole
                         ? say("got '{}', expected a whole number", typed.toStdString())
                         : say("got '{}', expected a number in {}", typed.toStdString(), unit.toStdString()));
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
