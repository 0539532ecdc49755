// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/cost.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardscope {

double padded_flops(const Hardware& hardware, const ProductSize& size) {
  const auto padded = [](int64_t extent, int64_t tile) {
    return static_cast<double>(ceil_div(extent, tile) * tile);
  };
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

Picoseconds array_time(const Hardware& hardware, const Peak& peak, const ProductSize& size) {
  const int64_t rows = hardware.compute.mxu_rows, cols = hardware.compute.mxu_cols;
  const int64_t tiles = size.batch * ceil_div(size.k, rows) * ceil_div(size.n, cols);
  const double cycles = static_cast<double>(tiles) * static_cast<double>(size.m + 2 * rows + cols - 2) - 1;
  const double flops_per_cycle = 2.0 * static_cast<double>(rows * cols);
  return to_picoseconds(cycles * flops_per_cycle / compute_rate(hardware, peak));
}

}  // namespace shardscope
