// SPDX-License-Identifier: Apache-2.0
// What a product and memory traffic take on a chip: schedules, kernels, bounds and views ask here. What a
// message takes on the links of a mesh: fabric.h. Durations round up to a picosecond.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline hardware {

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
// Several products of one size that are added up (Peak::passes): one that sums over so many times its k.
ProductSize in_passes(ProductSize size, double passes);

// A weight-stationary array of rows × columns holds a tile of k × n; m streams through it: k and n are padded
// to the tile. Where tiles and units are given, tiles of m × n are dealt to the units and every wave takes as
// long as a full one: waves · units · the flops of a tile, k padded to its third size.
double padded_flops(const Hardware& hardware, const ProductSize& size);

// What products reach of the peak (in full tiles, where the chip has them), and traffic of the memory's
// bandwidth (error: it is not published).
double compute_rate(const Hardware& hardware, const Peak& peak);
Result<double> memory_rate(const Hardware& hardware);

Result<Picoseconds> memory_time(const Hardware& hardware, int64_t bytes);
// What a library takes of the tiles of a row: the fastest, by how many parts of k. A product of one row or
// one column goes by no tiles: `tile` is then the first of the row, waves and parts 1.
struct TileChoice {
  std::array<int64_t, 3> tile{};
  int64_t parts = 1, waves = 1;
  // The longer one counts, and is as much longer as the shorter does not hide (ProductTiles::mixing).
  double compute_s = 0, memory_s = 0;
};
// `adds`: to a sum that is there, which is read before it is written.
TileChoice fastest_tiles(const Hardware& hardware, const ProductTiles& row, const Peak& peak,
                         const ProductSize& size, int64_t bytes, bool adds = false);

// Whether products of a type draw the most power: those of at most 16 bits.
bool draws_power(ElementType type);
// How much longer such products take than alone where they fill that share, 0 to 1, of a chip's time: at
// least 1.
double sustained_slowdown(const Hardware& hardware, double share);

// By the tiles of its type where the chip has them, else the longer of the padded flops and the `bytes` that
// it reads and writes, as what it is the longer by; and the launch.
Result<Cost> product_cost(const Hardware& hardware, const Peak& peak, const ProductSize& size, int64_t bytes,
                          bool adds = false);
// Work of a kind that has a rate of its own on the chip; elementwise_cost of others.
Result<Cost> work_cost(const Hardware& hardware, std::string_view kind, int64_t bytes, double operations = 0);
// What is no product and no collective: a launch, and the longer of the `bytes` that it reads and writes and
// of its `operations` by the vector units (where their rate is published), as what it is the longer by.
Result<Cost> elementwise_cost(const Hardware& hardware, int64_t bytes, double operations = 0);

// A collective as a row of link.ops times it: of n ranks, in steps one after the other. `bytes`: of the array
// on one device, before or after, whichever is more; `busiest_bytes`: what the busiest port or link sends.
struct CollectiveLoad {
  int64_t ranks = 1, steps = 0;
  double bytes = 0, busiest_bytes = 0;
  bool one_peer = false;  // of a permute in which every rank sends to and receives from one other at most
};
// Bytes that count against the rate: of an all-reduce in the switch the array and an n-th of it instead of
// twice the ring's (n − 1)/n.
double counted_bytes(const LinkOp& op, const CollectiveLoad& load);
double ramp_s(const LinkOp& op, double bytes);  // c·S^γ
// What messages in parts take on top of their bytes at the row's rate; negative where the launch hides them.
double parts_s(const LinkOp& op, const CollectiveLoad& load);
// launch + steps · step + counted bytes / rate + ramp + parts; `op` where it says nothing as the links of
// `hardware`, of which one level is used (error: they are not published).
Result<double> collective_s(const Hardware& hardware, const LinkOp& op, const CollectiveLoad& load);

// Of tiles that lie beside the array: the cycles in which it fills, streams and drains, tile after tile, as
// one flows at the peak. Inside a kernel; product_cost is that of a whole product, whose tiles follow without
// a gap.
Picoseconds array_time(const Hardware& hardware, const Peak& peak, const ProductSize& size);

}  // namespace shardscope::inline hardware
