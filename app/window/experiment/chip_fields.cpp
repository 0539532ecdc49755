// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/chip_fields.h"

#include <array>
#include <cmath>

namespace shardscope {
namespace {

using Get = std::function<std::optional<double>(const Hardware&)>;
using Set = std::function<void(Hardware&, std::optional<double>)>;

constexpr double kLargestCount = 1 << 20;

std::optional<double> as_number(std::optional<int64_t> count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}
std::optional<int64_t> as_count(std::optional<double> number) {
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

ChipField number(const char* key, const char* section, const QString& label, const char* unit, double factor,
                 const char* empty, Get get, Set set) {
  return {key, section, label, unit, factor, false, empty, std::move(get), std::move(set)};
}

ChipField count(const char* key, const char* section, const char* label, const char* unit, const char* empty,
                Get get, Set set) {
  return {key, section, label, unit, 1, true, empty, std::move(get), std::move(set)};
}

constexpr const char* kUnknown = "not published";

void add_compute(std::vector<ChipField>& out) {
  for (const ElementType type : problem_types()) {
    out.push_back(number(
        "compute.peak_flops_per_s", "Compute", QString("peak %1").arg(name(type)), "TFLOP/s", 1e12, kUnknown,
        [type](const Hardware& h) {
          const auto found = h.compute.peak_flops_per_s.find(type);
          return found == h.compute.peak_flops_per_s.end() ? std::nullopt : std::optional(found->second);
        },
        [type](Hardware& h, std::optional<double> v) {
          h.compute.peak_flops_per_s.erase(type);
          if (v) h.compute.peak_flops_per_s[type] = *v;
        }));
  }
  out.push_back(number(
      "compute.efficiency", "Compute", "efficiency", "of the peak", 1, "1",
      [](const Hardware& h) { return std::optional(h.compute.efficiency); },
      [](Hardware& h, std::optional<double> v) { h.compute.efficiency = v.value_or(1); }));
  out.push_back(number(
      "compute.launch_overhead_s", "Compute", "launch overhead", "µs a product", 1e-6, "0",
      [](const Hardware& h) { return std::optional(h.compute.launch_overhead_s); },
      [](Hardware& h, std::optional<double> v) { h.compute.launch_overhead_s = v.value_or(0); }));
  out.push_back(count(
      "compute.mxu", "Compute", "matrix unit, rows", "elements", "1",
      [](const Hardware& h) { return as_number(h.compute.mxu_rows); },
      [](Hardware& h, std::optional<double> v) { h.compute.mxu_rows = as_count(v).value_or(1); }));
  out.push_back(count(
      "compute.mxu", "Compute", "matrix unit, columns", "elements", "1",
      [](const Hardware& h) { return as_number(h.compute.mxu_cols); },
      [](Hardware& h, std::optional<double> v) { h.compute.mxu_cols = as_count(v).value_or(1); }));
}

void add_memory(std::vector<ChipField>& out) {
  out.push_back(number(
      "memory.hbm_bytes", "Memory", "HBM", "GB", 1e9, kUnknown,
      [](const Hardware& h) { return h.memory.hbm_bytes; },
      [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes = v; }));
  out.push_back(number(
      "memory.hbm_bytes_per_s", "Memory", "HBM bandwidth", "GB/s", 1e9, kUnknown,
      [](const Hardware& h) { return h.memory.hbm_bytes_per_s; },
      [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes_per_s = v; }));
  out.push_back(number(
      "memory.hbm_efficiency", "Memory", "HBM efficiency", "of the bandwidth", 1, "1",
      [](const Hardware& h) { return std::optional(h.memory.hbm_efficiency); },
      [](Hardware& h, std::optional<double> v) { h.memory.hbm_efficiency = v.value_or(1); }));
  out.push_back(number(
      "memory.fast_bytes", "Memory", "memory on the chip", "MiB", 1048576, kUnknown,
      [](const Hardware& h) { return h.memory.fast_bytes; },
      [](Hardware& h, std::optional<double> v) { h.memory.fast_bytes = v; }));
}

void add_link(std::vector<ChipField>& out) {
  out.push_back(number(
      "link.bytes_per_s", "Link", "bandwidth, one way", "GB/s", 1e9, kUnknown,
      [](const Hardware& h) { return h.link.bytes_per_s; },
      [](Hardware& h, std::optional<double> v) { h.link.bytes_per_s = v; }));
  out.push_back(number(
      "link.latency_s", "Link", "latency (α)", "µs a hop", 1e-6, kUnknown,
      [](const Hardware& h) { return h.link.latency_s; },
      [](Hardware& h, std::optional<double> v) { h.link.latency_s = v; }));
  out.push_back(number(
      "link.efficiency", "Link", "efficiency", "of the bandwidth", 1, "1",
      [](const Hardware& h) { return std::optional(h.link.efficiency); },
      [](Hardware& h, std::optional<double> v) { h.link.efficiency = v.value_or(1); }));
  out.push_back(number(
      "link.launch_overhead_s", "Link", "launch overhead", "µs a collective", 1e-6, "0",
      [](const Hardware& h) { return std::optional(h.link.launch_overhead_s); },
      [](Hardware& h, std::optional<double> v) { h.link.launch_overhead_s = v.value_or(0); }));
  out.push_back(count(
      "link.links_per_axis", "Link", "links", "an axis", "2",
      [](const Hardware& h) { return as_number(h.link.links_per_axis); },
      [](Hardware& h, std::optional<double> v) { h.link.links_per_axis = as_count(v).value_or(2); }));
}

void add_topology(std::vector<ChipField>& out) {
  out.push_back(count(
      "torus_axes", "Topology", "axes of its torus", "axes", "any number",
      [](const Hardware& h) { return as_number(h.torus_axes); },
      [](Hardware& h, std::optional<double> v) { h.torus_axes = as_count(v); }));
  out.push_back(count(
      "torus_wrap_multiple_of", "Topology", "an axis wraps at multiples of", "devices", "every axis wraps",
      [](const Hardware& h) { return as_number(h.torus_wrap_multiple_of); },
      [](Hardware& h, std::optional<double> v) { h.torus_wrap_multiple_of = as_count(v); }));
  out.push_back(count(
      "node.devices", "Topology", "devices in a node", "devices", kUnknown,
      [](const Hardware& h) { return as_number(h.node_devices); },
      [](Hardware& h, std::optional<double> v) { h.node_devices = as_count(v); }));
  out.push_back(number(
      "network.bytes_per_s", "Topology", "network bandwidth", "GB/s", 1e9, kUnknown,
      [](const Hardware& h) { return h.network_bytes_per_s; },
      [](Hardware& h, std::optional<double> v) { h.network_bytes_per_s = v; }));
  out.push_back(number(
      "network.latency_s", "Topology", "network latency", "µs", 1e-6, kUnknown,
      [](const Hardware& h) { return h.network_latency_s; },
      [](Hardware& h, std::optional<double> v) { h.network_latency_s = v; }));
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
