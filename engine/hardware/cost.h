// SPDX-License-Identifier: Apache-2.0
// What a product and memory traffic take on a chip: schedules, kernels, bounds and views ask here. What a
// message takes on the links of a mesh: fabric.h. Durations round up to a picosecond.
#pragma once

#include <cstdint>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"

namespace shardscope {

// What a piece of work takes, by cause.
struct Cost {
  Picoseconds compute = 0, memory = 0, latency = 0, bandwidth = 0, overhead = 0;
  Picoseconds total() const { return compute + memory + latency + bandwidth + overhead; }
  bool operator==(const Cost&) const = default;
};

// `batch` products [m, k] · [k, n].
struct ProductSize {
  int64_t batch = 1, m = 1, k = 1, n = 1;
};

// A weight-stationary array of rows × columns holds a tile of k × n; m streams through it: k and n are padded
// to the tile.
double padded_flops(const Hardware& hardware, const ProductSize& size);

// What products reach of the peak, and traffic of the memory's bandwidth (error: it is not published).
double compute_rate(const Hardware& hardware, const Peak& peak);
Result<double> memory_rate(const Hardware& hardware);

Result<Picoseconds> memory_time(const Hardware& hardware, int64_t bytes);
// The longer of the padded flops and the `bytes` that it reads and writes, as what it is the longer by; and
// the launch.
Result<Cost> product_cost(const Hardware& hardware, const Peak& peak, const ProductSize& size, int64_t bytes);
// Of tiles that lie beside the array: the cycles in which it fills, streams and drains, tile after tile, as
// one flows at the peak. Inside a kernel; product_cost is that of a whole product, whose tiles follow without
// a gap.
Picoseconds array_time(const Hardware& hardware, const Peak& peak, const ProductSize& size);

}  // namespace shardscope
