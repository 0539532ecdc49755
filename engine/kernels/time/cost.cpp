// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/time/cost.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace shardscope::kernels {

Result<KernelCost> KernelCost::make(const KernelProgram& program, const Hardware& hardware,
                                    const Mesh& mesh) {
  TRY(Fabric fabric, Fabric::make(mesh, hardware));
  KernelCost out(hardware, std::move(fabric));
  out.launch_ = to_picoseconds(hardware.compute.launch_overhead_s);
  bool adds = false;
  ElementType type = ElementType::f32;
  for (const KernelBuffer& buffer : program.layout.buffers) {
    if (buffer.space == MemorySpace::vmem && !buffer.scoped) out.resident_vmem_ += buffer.bytes();
    if (buffer.role == KernelBuffer::Role::input) type = buffer.type;
  }
  for (const auto& ops : program.devices) {
    adds = adds || std::any_of(ops.begin(), ops.end(), [](const Op& op) {
             return op.kind == OpKind::add || op.kind == OpKind::zero || op.kind == OpKind::store;
           });
  }
  if (adds) {
    out.assumptions_.push_back(
        "the vector unit's speed is not published: sums and stores in vmem take no time of "
        "their own");
  }
  if (program.flops > 0) {
    TRY(const Peak peak, peak_for(hardware, type));
    out.flops_per_s_ = peak.flops_per_s * hardware.compute.efficiency;
    if (!peak.assumption.empty()) out.assumptions_.push_back(peak.assumption);
  }
  return out;
}

Result<Picoseconds> KernelCost::hbm(int64_t bytes) const {
  if (bytes == 0) return Picoseconds{0};
  if (!hardware_.memory.hbm_bytes_per_s) {
    return invalid(fmt::format("memory.hbm_bytes_per_s of {} is not published", hardware_.name), "hardware",
                   "give memory.hbm_bytes_per_s in a hardware file");
  }
  return to_picoseconds(static_cast<double>(bytes) /
                        (*hardware_.memory.hbm_bytes_per_s * hardware_.memory.hbm_efficiency));
}

Result<Picoseconds> KernelCost::product(int64_t m, int64_t depth, int64_t n) const {
  const int64_t rows = hardware_.compute.mxu_rows, cols = hardware_.compute.mxu_cols;
  const int64_t tiles = ceil_div(depth, rows) * ceil_div(n, cols);
  const double cycles = static_cast<double>(tiles) * static_cast<double>(m + 2 * rows + cols - 2) - 1;
  const double flops_per_cycle = 2.0 * static_cast<double>(rows * cols);
  return to_picoseconds(cycles * flops_per_cycle / flops_per_s_);
}

Picoseconds KernelCost::signal(int32_t from, int32_t to) const {
  if (!fabric_.link_error().ok()) return 0;
  Picoseconds out = 0;
  for (const Link& link : way(from, to, 0)) out += link.latency;
  return out;
}

std::vector<KernelCost::Link> KernelCost::way(int32_t from, int32_t to, int64_t bytes) const {
  std::vector<Link> out;
  for (int32_t at = from; at != to;) {
    const Hop hop = fabric_.next_hop(at, to, +1);
    const Cost cost = fabric_.link_cost(bytes, fabric_.link_class(hop));
    Link link;
    link.device = hop.device;
    link.id = int64_t{hop.device} * fabric_.lane_count() + hop.lane;
    if (fabric_.has_pair_links()) link.id = -1 - (int64_t{from} * fabric_.devices() + to);
    link.latency = cost.latency;
    link.arrives = cost.latency + cost.bandwidth;
    link.held = fabric_.all_pairs() ? cost.bandwidth : link.arrives;
    out.push_back(link);
    at = hop.next;
  }
  return out;
}

KernelRoofline KernelCost::roofline(const KernelTime& time) const {
  KernelRoofline out;
  const auto longest =
      std::max_element(time.devices.begin(), time.devices.end(),
                       [](const KernelDeviceTime& a, const KernelDeviceTime& b) { return a.end < b.end; });
  const KernelDeviceTime& device = *longest;
  const std::pair<Picoseconds, const char*> shares[] = {
      {device.mxu, "compute"}, {device.hbm, "hbm"}, {device.link, "link"}};
  const auto most = std::max_element(std::begin(shares), std::end(shares),
                                     [](const auto& a, const auto& b) { return a.first < b.first; });
  out.bound = 2 * most->first >= device.end ? most->second : "latency";
  if (device.flops <= 0 || device.end == 0) return out;
  out.flops_per_s = device.flops / to_seconds(device.end);
  out.roof_flops_per_s = flops_per_s_;
  out.mxu_utilisation = device.flops / (to_seconds(device.mxu) * flops_per_s_);
  if (device.hbm_bytes > 0 && hardware_.memory.hbm_bytes_per_s) {
    out.flops_per_byte = device.flops / static_cast<double>(device.hbm_bytes);
    out.roof_flops_per_s = std::min(flops_per_s_, out.flops_per_byte * *hardware_.memory.hbm_bytes_per_s *
                                                      hardware_.memory.hbm_efficiency);
  }
  return out;
}

}  // namespace shardscope::kernels
