// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardscope {

double padded_flops(const Hardware& hardware, const ProductSize& size) {
  const auto padded = [](int64_t extent, int64_t tile) {
    return static_cast<double>(ceil_div(extent, tile) * tile);
  };
  if (const auto& tile = hardware.compute.tile; tile && hardware.compute.units) {
    const auto& [m, n, k] = *tile;
    const int64_t units = *hardware.compute.units;
    const double tiles = static_cast<double>(size.batch) * static_cast<double>(ceil_div(size.m, m)) *
                         static_cast<double>(ceil_div(size.n, n));
    const double waves = std::ceil(tiles / static_cast<double>(units));
    return 2.0 * waves * static_cast<double>(units) * static_cast<double>(m) * static_cast<double>(n) *
           padded(size.k, k);
  }
  return 2.0 * static_cast<double>(size.batch) * static_cast<double>(size.m) *
         padded(size.n, hardware.compute.mxu_cols) * padded(size.k, hardware.compute.mxu_rows);
}

double compute_rate(const Hardware& hardware, const Peak& peak) {
  return peak.flops_per_s * hardware.compute.efficiency;
}

Result<double> memory_rate(const Hardware& hardware) {
  if (hardware.memory.hbm_bytes_per_s)
    return *hardware.memory.hbm_bytes_per_s * hardware.memory.hbm_efficiency;
  return invalid(fmt::format("memory.hbm_bytes_per_s of {} is not published", hardware.name), "hardware",
                 "give memory.hbm_bytes_per_s in a hardware file");
}

Result<Picoseconds> memory_time(const Hardware& hardware, int64_t bytes) {
  TRY(const double rate, memory_rate(hardware));
  return to_picoseconds(static_cast<double>(bytes) / rate);
}

Result<Cost> product_cost(const Hardware& hardware, const Peak& peak, const ProductSize& size,
                          int64_t bytes) {
  const Picoseconds compute = to_picoseconds(padded_flops(hardware, size) / compute_rate(hardware, peak));
  TRY(const Picoseconds memory, memory_time(hardware, bytes));
  Cost cost;
  (compute >= memory ? cost.compute : cost.memory) = std::max(compute, memory);
  cost.overhead = to_picoseconds(hardware.compute.launch_overhead_s);
  return cost;
}

Result<Cost> elementwise_cost(const Hardware& hardware, int64_t bytes, double operations) {
  TRY(const Picoseconds memory, memory_time(hardware, bytes));
  const auto& vectors = hardware.compute.vector_flops_per_s;
  const Picoseconds compute = vectors ? to_picoseconds(operations / *vectors) : 0;
  Cost cost;
  (compute > memory ? cost.compute : cost.memory) = std::max(compute, memory);
  cost.overhead = to_picoseconds(hardware.compute.elementwise_launch_s);
  return cost;
}

double counted_bytes(const LinkOp& op, const CollectiveLoad& load) {
  if (!op.in_switch || load.ranks < 2) return load.busiest_bytes;
  const auto n = static_cast<double>(load.ranks);
  return load.busiest_bytes * (n + 1) / (2 * (n - 1));
}

double ramp_s(const LinkOp& op, double bytes) {
  return op.ramp && bytes > 0 ? op.ramp->c * std::pow(bytes, op.ramp->gamma) : 0;
}

Result<double> collective_s(const Hardware& hardware, const LinkOp& op, const CollectiveLoad& load) {
  const Hardware::Link& link = hardware.link;
  const auto missing = [&](const char* field) {
    return invalid(fmt::format("{} of {} is not published", field, hardware.name), "hardware",
                   fmt::format("give {} in a hardware file", field));
  };
  if (!op.step_s && !link.latency_s) return missing("link.latency_s");
  if (!op.bytes_per_s && !link.bytes_per_s) return missing("link.bytes_per_s");
  const double step = op.step_s ? *op.step_s : *link.latency_s;
  const double rate = op.bytes_per_s ? *op.bytes_per_s : *link.bytes_per_s * link.efficiency;
  return op.launch_s.value_or(link.launch_overhead_s) + static_cast<double>(load.steps) * step +
         counted_bytes(op, load) / rate + ramp_s(op, load.bytes);
}

Picoseconds array_time(const Hardware& hardware, const Peak& peak, const ProductSize& size) {
  const int64_t rows = hardware.compute.mxu_rows, cols = hardware.compute.mxu_cols;
  const int64_t tiles = size.batch * ceil_div(size.k, rows) * ceil_div(size.n, cols);
  const double cycles = static_cast<double>(tiles) * static_cast<double>(size.m + 2 * rows + cols - 2) - 1;
  const double flops_per_cycle = 2.0 * static_cast<double>(rows * cols);
  return to_picoseconds(cycles * flops_per_cycle / compute_rate(hardware, peak));
}

}  // namespace shardscope
