// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/chip_numbers.h"

#include <algorithm>
#include <iterator>

#include "engine/base/say.h"
#include "engine/hardware/row_numbers.h"

namespace shardscope::inline hardware {
namespace {

std::optional<double> as_number(std::optional<int64_t> count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}
std::optional<int64_t> as_count(std::optional<double> number) {
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

constexpr const char* kUnknown = to_say("not published");
constexpr const char* kNone = to_say("none");

void add_peaks(std::vector<ChipNumber>& out) {
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
  out.push_back({.key = "compute.tf32_flops_per_s",
                 .section = to_say("Compute"),
                 .label = to_say("peak {}"),
                 .of = "tf32",
                 .unit = "TFLOP/s",
                 .factor = 1e12,
                 .empty = kNone,
                 .get = [](const Hardware& h) { return h.compute.tf32_flops_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.compute.tf32_flops_per_s = v; }});
}

void add_compute(std::vector<ChipNumber>& out) {
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

// What nobody set is no number of the chip: nothing, where it would only say so.
std::optional<double> unless(double value, double nothing) {
  return value == nothing ? std::nullopt : std::optional(value);
}

void add_vectors(std::vector<ChipNumber>& out) {
  out.push_back(
      {.key = "compute.elementwise_launch_s",
       .section = to_say("Compute"),
       .label = to_say("launch of elementwise work"),
       .unit = to_say("µs an operation"),
       .factor = 1e-6,
       .empty = "0",
       .get = [](const Hardware& h) { return unless(h.compute.elementwise_launch_s, 0); },
       .set = [](Hardware& h, std::optional<double> v) { h.compute.elementwise_launch_s = v.value_or(0); }});
  out.push_back({.key = "compute.vector_flops_per_s",
                 .section = to_say("Compute"),
                 .label = to_say("vector units"),
                 .unit = "TFLOP/s",
                 .factor = 1e12,
                 .empty = kUnknown,
                 .get = [](const Hardware& h) { return h.compute.vector_flops_per_s; },
                 .set = [](Hardware& h, std::optional<double> v) { h.compute.vector_flops_per_s = v; }});
}

void add_tiles(std::vector<ChipNumber>& out) {
  const char* labels[] = {to_say("tile of a product, rows"), to_say("tile of a product, columns"),
                          to_say("tile of a product, depth")};
  for (size_t k = 0; k < std::size(labels); ++k) {
    out.push_back({.key = "compute.tile",
                   .section = to_say("Compute"),
                   .label = labels[k],
                   .unit = to_say("elements"),
                   .whole = true,
                   .empty = kNone,
                   .get =
                       [k](const Hardware& h) {
                         return h.compute.tile ? as_number((*h.compute.tile)[k]) : std::nullopt;
                       },
                   .set =
                       [k](Hardware& h, std::optional<double> v) {
                         if (!v) return h.compute.tile.reset();
                         if (!h.compute.tile) h.compute.tile = {1, 1, 1};
                         (*h.compute.tile)[k] = static_cast<int64_t>(*v);
                       }});
  }
  out.push_back({.key = "compute.units",
                 .section = to_say("Compute"),
                 .label = to_say("units that tiles are dealt to"),
                 .unit = to_say("units"),
                 .whole = true,
                 .empty = kNone,
                 .get = [](const Hardware& h) { return as_number(h.compute.units); },
                 .set = [](Hardware& h, std::optional<double> v) { h.compute.units = as_count(v); }});
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

void add_levels_and_rounds(std::vector<ChipNumber>& out) {
  out.push_back(
      {.key = "link.level_slices",
       .section = to_say("Link"),
       .label = to_say("slices of arrays between levels"),
       .unit = to_say("slices"),
       .whole = true,
       .empty = "1",
       .get = [](const Hardware& h) { return unless(static_cast<double>(h.link.level_slices), 1); },
       .set = [](Hardware& h, std::optional<double> v) { h.link.level_slices = as_count(v).value_or(1); }});
  out.push_back({.key = "overlap.sync_s",
                 .section = to_say("Overlap"),
                 .label = to_say("synchronisation"),
                 .unit = to_say("µs an overlapped round"),
                 .factor = 1e-6,
                 .empty = "0",
                 .get = [](const Hardware& h) { return unless(h.overlap.sync_s, 0); },
                 .set = [](Hardware& h, std::optional<double> v) { h.overlap.sync_s = v.value_or(0); }});
}

// The row of a kind and group on whatever chip it is asked for; null: it has none.
template <class AHardware>
auto* find_op(AHardware& hardware, const LinkOp& like) {
  const auto same = [&](const LinkOp& op) { return key_of(op) == key_of(like); };
  const auto found = std::ranges::find_if(hardware.link.ops, same);
  return found == hardware.link.ops.end() ? nullptr : &*found;
}

struct OpNumber {
  const char* key;
  const char* label;
  const char* unit;
  double factor;
  const char* empty;
  std::optional<double> (*get)(const LinkOp& op);
  void (*set)(LinkOp& op, std::optional<double> value);
};

const std::vector<OpNumber>& op_numbers() {
  static const std::vector<OpNumber> table{
      {".launch_s", to_say("{}: launch"), to_say("µs a collective"), 1e-6, to_say("as the link's"),
       [](const LinkOp& op) { return op.launch_s; },
       [](LinkOp& op, std::optional<double> v) { op.launch_s = v; }},
      {".step_s", to_say("{}: step"), to_say("µs a step"), 1e-6, to_say("as the link's"),
       [](const LinkOp& op) { return op.step_s; },
       [](LinkOp& op, std::optional<double> v) { op.step_s = v; }},
      {".bytes_per_s", to_say("{}: rate"), "GB/s", 1e9, to_say("as the link's"),
       [](const LinkOp& op) { return op.bytes_per_s; },
       [](LinkOp& op, std::optional<double> v) { op.bytes_per_s = v; }},
      {".ramp.c", to_say("{}: ramp, for 1 byte"), "µs", 1e-6, kNone,
       [](const LinkOp& op) { return op.ramp ? std::optional(op.ramp->c) : std::nullopt; },
       [](LinkOp& op, std::optional<double> v) {
         if (!v) return op.ramp.reset();
         op.ramp = LinkOp::Ramp{*v, op.ramp ? op.ramp->gamma : LinkOp::Ramp().gamma};
       }},
      {".ramp.gamma", to_say("{}: ramp, power of the bytes"), "", 1, kNone,
       [](const LinkOp& op) { return op.ramp ? std::optional(op.ramp->gamma) : std::nullopt; },
       [](LinkOp& op, std::optional<double> v) {
         if (!v) return op.ramp.reset();
         op.ramp = LinkOp::Ramp{op.ramp ? op.ramp->c : 0, *v};
       }}};
  return table;
}

void add_ops(const Hardware& hardware, std::vector<ChipNumber>& out) {
  for (const LinkOp& op : hardware.link.ops) {
    for (const OpNumber& number : op_numbers()) {
      out.push_back({.key = key_of(op) + number.key,
                     .section = to_say("Collectives"),
                     .label = number.label,
                     .of = op.axis    ? say("{} on axis {}", op.kind, *op.axis)
                           : op.group ? say("{} of {}", op.kind, *op.group)
                                      : op.kind,
                     .unit = number.unit,
                     .factor = number.factor,
                     .empty = number.empty,
                     .get =
                         [op, &number](const Hardware& h) {
                           const LinkOp* same = find_op(h, op);
                           return same == nullptr ? std::nullopt : number.get(*same);
                         },
                     .set =
                         [op, &number](Hardware& h, std::optional<double> v) {
                           LinkOp* same = find_op(h, op);
                           if (same != nullptr) number.set(*same, v);
                         }});
    }
  }
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
  out.push_back({.key = "torus_chips",
                 .section = to_say("Topology"),
                 .label = to_say("chips of its largest torus"),
                 .unit = to_say("chips"),
                 .whole = true,
                 .empty = to_say("any number"),
                 .get = [](const Hardware& h) { return as_number(h.torus_chips); },
                 .set = [](Hardware& h, std::optional<double> v) { h.torus_chips = as_count(v); }});
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
  out.push_back({.key = "network.efficiency",
                 .section = to_say("Topology"),
                 .label = to_say("network efficiency"),
                 .unit = to_say("of the bandwidth"),
                 .empty = to_say("that of a link"),
                 .get = [](const Hardware& h) { return h.network_efficiency; },
                 .set = [](Hardware& h, std::optional<double> v) { h.network_efficiency = v; }});
}

}  // namespace

std::vector<ChipNumber> chip_numbers(const Hardware& hardware) {
  std::vector<ChipNumber> out;
  add_peaks(out);
  add_compute(out);
  add_vectors(out);
  add_tiles(out);
  add_memory(out);
  add_link(out);
  add_levels_and_rounds(out);
  add_program_numbers(out);
  add_row_numbers(hardware, out);
  add_ops(hardware, out);
  add_topology(out);
  return out;
}

std::string label_of(const ChipNumber& number) {
  return fmt::vformat(said(number.label), fmt::make_format_args(number.of));
}

}  // namespace shardscope::inline hardware
