// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/chip_numbers.h"

#include "engine/base/say.h"

namespace shardscope {
namespace {

std::optional<double> as_number(std::optional<int64_t> count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}
std::optional<int64_t> as_count(std::optional<double> number) {
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

constexpr const char* kUnknown = to_say("not published");

void add_compute(std::vector<ChipNumber>& out) {
  for (const ElementType type : problem_types()) {
    out.push_back({.key = "compute.peak_flops_per_s",
                   .section = to_say("Compute"),
                   .label = to_say("peak {}"),
                   .of = name(type),
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
                 .section = to_say("Compute"),
                 .label = to_say("efficiency"),
                 .unit = to_say("of the peak"),
                 .empty = "1",
                 .get = [](const Hardware& h) { return std::optional(h.compute.efficiency); },
                 .set = [](Hardware& h, std::optional<double> v) { h.compute.efficiency = v.value_or(1); }});
  out.push_back(
      {.key = "compute.launch_overhead_s",
       .section = to_say("Compute"),
       .label = to_say("launch overhead"),
       .unit = to_say("µs a product"),
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return std::optional(h.compute.launch_overhead_s); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.launch_overhead_s = v.value_or(0); }});
  out.push_back(
      {.key = "compute.mxu",
       .section = to_say("Compute"),
       .label = to_say("matrix unit, rows"),
       .unit = to_say("elements"),
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return as_number(h.compute.mxu_rows); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.mxu_rows = as_count(v).value_or(1); }});
  out.push_back(
      {.key = "compute.mxu",
       .section = to_say("Compute"),
       .label = to_say("matrix unit, columns"),
       .unit = to_say("elements"),
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return as_number(h.compute.mxu_cols); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.mxu_cols = as_count(v).value_or(1); }});
}

void add_memory(std::vector<ChipNumber>& out) {
  out.push_back({.key = "memory.hbm_bytes",
                 .section = to_say("Memory"),
                 .label = "HBM",
                 .unit = "GB",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.memory.hbm_bytes; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes = v; }});
  out.push_back({.key = "memory.hbm_bytes_per_s",
                 .section = to_say("Memory"),
                 .label = to_say("HBM bandwidth"),
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.memory.hbm_bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_bytes_per_s = v; }});
  out.push_back(
      {.key = "memory.hbm_efficiency",
       .section = to_say("Memory"),
       .label = to_say("HBM efficiency"),
       .unit = to_say("of the bandwidth"),
       .empty = "1",
       .get = [](const Hardware& h) { return std::optional(h.memory.hbm_efficiency); },
       .set = [](Hardware& h, std::optional<double> v) { h.memory.hbm_efficiency = v.value_or(1); }});
  out.push_back({.key = "memory.fast_bytes",
                 .section = to_say("Memory"),
                 .label = to_say("memory on the chip"),
                 .unit = "MiB",
                 .factor = 1048576,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.memory.fast_bytes; },
                 .set = [](Hardware& h, std::optional<double> v) { h.memory.fast_bytes = v; }});
}

void add_link(std::vector<ChipNumber>& out) {
  out.push_back({.key = "link.bytes_per_s",
                 .section = to_say("Link"),
                 .label = to_say("bandwidth, one way"),
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.link.bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.bytes_per_s = v; }});
  out.push_back({.key = "link.latency_s",
                 .section = to_say("Link"),
                 .label = to_say("latency (α)"),
                 .unit = to_say("µs a hop"),
                 .factor = 1e-6,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.link.latency_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.latency_s = v; }});
  out.push_back({.key = "link.efficiency",
                 .section = to_say("Link"),
                 .label = to_say("efficiency"),
                 .unit = to_say("of the bandwidth"),
                 .empty = "1",
                 .get = [](const Hardware& h) { return std::optional(h.link.efficiency); },
                 .set = [](Hardware& h, std::optional<double> v) { h.link.efficiency = v.value_or(1); }});
  out.push_back(
      {.key = "link.launch_overhead_s",
       .section = to_say("Link"),
       .label = to_say("launch overhead"),
       .unit = to_say("µs a collective"),
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return std::optional(h.link.launch_overhead_s); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.launch_overhead_s = v.value_or(0); }});
  out.push_back(
      {.key = "link.links_per_axis",
       .section = to_say("Link"),
       .label = to_say("links"),
       .unit = to_say("an axis"),
       .whole = true,
       .empty = "2",
       .get = [](const Hardware& h) { return as_number(h.link.links_per_axis); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.links_per_axis = as_count(v).value_or(2); }});
}

void add_topology(std::vector<ChipNumber>& out) {
  out.push_back({.key = "torus_axes",
                 .section = to_say("Topology"),
                 .label = to_say("axes of its torus"),
                 .unit = to_say("axes"),
                 .whole = true,
                 .empty = to_say("any number"),
                 .get = [](const Hardware& h) { return as_number(h.torus_axes); },
                 .set = [](Hardware& h, std::optional<double> v) { h.torus_axes = as_count(v); }});
  out.push_back(
      {.key = "torus_wrap_multiple_of",
       .section = to_say("Topology"),
       .label = to_say("an axis wraps at multiples of"),
       .unit = to_say("devices"),
       .whole = true,
       .empty = to_say("every axis wraps"),
       .get = [](const Hardware& h) { return as_number(h.torus_wrap_multiple_of); },
       .set = [](Hardware& h, std::optional<double> v) { h.torus_wrap_multiple_of = as_count(v); }});
  out.push_back({.key = "node.devices",
                 .section = to_say("Topology"),
                 .label = to_say("devices in a node"),
                 .unit = to_say("devices"),
                 .whole = true,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return as_number(h.node_devices); },
                 .set = [](Hardware& h, std::optional<double> v) { h.node_devices = as_count(v); }});
  out.push_back({.key = "network.bytes_per_s",
                 .section = to_say("Topology"),
                 .label = to_say("network bandwidth"),
                 .unit = "GB/s",
                 .factor = 1e9,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.network_bytes_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.network_bytes_per_s = v; }});
  out.push_back({.key = "network.latency_s",
                 .section = to_say("Topology"),
                 .label = to_say("network latency"),
                 .unit = "µs",
                 .factor = 1e-6,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.network_latency_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.network_latency_s = v; }});
}

}  // namespace

std::vector<ChipNumber> chip_numbers() {
  std::vector<ChipNumber> out;
  add_compute(out);
  add_memory(out);
  add_link(out);
  add_topology(out);
  return out;
}

std::string label_of(const ChipNumber& number) {
  return fmt::vformat(said(number.label), fmt::make_format_args(number.of));
}

}  // namespace shardscope
