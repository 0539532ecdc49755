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
    TRY(out.peak_, peak_for(hardware, type));
    if (!out.peak_.assumption.empty()) out.assumptions_.push_back(out.peak_.assumption);
  }
  return out;
}

Result<Picoseconds> KernelCost::hbm(int64_t bytes) const {
  if (bytes == 0) return Picoseconds{0};
  return memory_time(hardware_, bytes);
}

Result<Picoseconds> KernelCost::product(int64_t m, int64_t depth, int64_t n) const {
  return array_time(hardware_, peak_, {1, m, depth, n});
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
    const LinkTime time = fabric_.link_time(bytes, fabric_.link_class(hop));
    Link link;
    link.device = hop.device;
    link.id = int64_t{hop.device} * fabric_.lane_count() + hop.lane;
    if (fabric_.has_pair_links()) link.id = -1 - (int64_t{from} * fabric_.devices() + to);
    link.latency = time.head.total();
    link.arrives = time.passes.total();
    link.held = time.held.total();
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
  const double at_peak = compute_rate(hardware_, peak_);
  out.roof_flops_per_s = at_peak;
  out.mxu_utilisation = device.flops / (to_seconds(device.mxu) * at_peak);
  if (const Result<double> hbm_rate = memory_rate(hardware_); device.hbm_bytes > 0 && hbm_rate.ok()) {
    out.flops_per_byte = device.flops / static_cast<double>(device.hbm_bytes);
    out.roof_flops_per_s = std::min(at_peak, out.flops_per_byte * *hbm_rate);
  }
  return out;
}

}  // namespace shardscope::kernels
