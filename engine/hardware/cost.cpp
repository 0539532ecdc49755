// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "engine/hardware/collective_kind.h"

namespace shardscope::inline hardware {

ProductSize in_passes(ProductSize size, double passes) {
  size.k = std::llround(std::ceil(static_cast<double>(size.k) * passes));
  return size;
}

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
  const ProductTiles* row = product_tiles(hardware, peak.type);
  return peak.flops_per_s * (row != nullptr ? row->efficiency : hardware.compute.efficiency);
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

namespace {

// Whether a row of either side, or of the result, is no multiple of 16 bytes, as kernels for tensor cores
// need them.
bool is_unaligned(const ProductSize& size, double element) {
  const auto off = [&](int64_t extent) {
    return static_cast<int64_t>(static_cast<double>(extent) * element) % 16 != 0;
  };
  return off(size.k) || off(size.n);
}

// A product on a row of a chip, by what is the same for all of its tiles.
struct Tiled {
  const ProductTiles& row;
  const ProductSize& size;
  double bytes;    // read and written
  double memory;   // bytes a second
  double of_unit;  // flops a second, at a share of 1
  double element;  // bytes
  double touched;  // how often the result goes to memory: written, or read as well
  double result_bytes() const {
    return touched * std::max(element, 2.0) * static_cast<double>(size.batch) * static_cast<double>(size.m) *
           static_cast<double>(size.n);
  }
};

// With k in so many parts.
TileChoice timed(const Tiled& on, const ProductTiles::Tile& tile, int64_t parts) {
  const auto& [m, n, k] = tile.size;
  const auto units = static_cast<double>(on.row.units);
  const int64_t tiles = on.size.batch * ceil_div(on.size.m, m) * ceil_div(on.size.n, n) * parts;
  const auto deep = static_cast<double>(ceil_div(ceil_div(on.size.k, parts), k) * k);
  const double area = static_cast<double>(m) * static_cast<double>(n);
  TileChoice out{tile.size, parts, ceil_div(tiles, on.row.units)};
  double wave_s = 2 * area * deep / (on.of_unit * tile.share);
  if (on.row.write_bytes_per_s)
    wave_s += on.touched * units * area * std::max(on.element, 2.0) / *on.row.write_bytes_per_s;
  // Tiles that are on a unit together wait together.
  constexpr double kMostTogether = 4;
  const double together =
      on.row.unit_elements ? std::clamp(std::floor(*on.row.unit_elements / area), 1.0, kMostTogether) : 1;
  const auto waves = static_cast<double>(out.waves);
  const double waits_s = on.row.wave_s + deep / static_cast<double>(k) * on.row.step_s;
  out.compute_s = waves * wave_s + std::ceil(waves / together) * waits_s;
  // Parts are written and read in f32 before they are one.
  const double joined_bytes = 4.0 * static_cast<double>(on.size.batch) * static_cast<double>(on.size.m) *
                              static_cast<double>(on.size.n);
  if (parts > 1) out.compute_s += on.row.split_s + static_cast<double>(parts) * joined_bytes / on.memory;
  // Few tiles draw less than the memory gives.
  const double drawn =
      on.row.unit_bytes_per_s
          ? std::min(on.memory, std::min(static_cast<double>(tiles), units) * *on.row.unit_bytes_per_s)
          : on.memory;
  out.memory_s = on.bytes / drawn;
  if (on.row.cache_bytes_per_s) {
    const auto& [batch, rows, depth, columns] = on.size;
    const double lines = static_cast<double>(ceil_div(columns, n)) * static_cast<double>(rows) +
                         static_cast<double>(ceil_div(rows, m)) * static_cast<double>(columns);
    const double sides = static_cast<double>(batch) * lines * static_cast<double>(depth) * on.element;
    out.memory_s = std::max(out.memory_s, (sides + on.result_bytes()) / *on.row.cache_bytes_per_s);
  }
  if (on.row.mixing) {
    const double power = *on.row.mixing;
    double& longer = out.compute_s >= out.memory_s ? out.compute_s : out.memory_s;
    const double shorter = std::min(out.compute_s, out.memory_s);
    if (longer > 0) longer *= std::pow(1 + std::pow(shorter / longer, power), 1 / power);
  }
  return out;
}

// A product of one row or one column: a library's kernel for vectors reads the matrix once, as fast as the
// memory gives it.
std::optional<TileChoice> by_vector(const Hardware& hardware, const ProductTiles& row, const Peak& peak,
                                    const ProductSize& size, int64_t bytes) {
  if (std::min(size.m, size.n) > 1 || !hardware.memory.hbm_bytes_per_s) return std::nullopt;
  TileChoice out{row.tiles.front().size};
  out.compute_s = 2.0 * static_cast<double>(size.batch) * static_cast<double>(size.m) *
                  static_cast<double>(size.k) * static_cast<double>(size.n) /
                  (peak.flops_per_s * row.efficiency);
  out.memory_s =
      static_cast<double>(bytes) / (*hardware.memory.hbm_bytes_per_s * hardware.memory.hbm_efficiency);
  return out;
}

}  // namespace

TileChoice fastest_tiles(const Hardware& hardware, const ProductTiles& row, const Peak& peak,
                         const ProductSize& size, int64_t bytes, bool adds) {
  constexpr int64_t kParts[] = {1, 2, 4, 8};
  constexpr int64_t kLeastK = 256;  // of a part
  if (const auto vector = by_vector(hardware, row, peak, size, bytes)) return *vector;
  const double element = static_cast<double>(bits(peak.type)) / 8;
  const double aligned = is_unaligned(size, element) ? row.unaligned_share : 1;
  const Tiled on{row,
                 size,
                 static_cast<double>(bytes),
                 hardware.memory.hbm_bytes_per_s.value_or(0) * row.hbm_efficiency,
                 peak.flops_per_s * row.efficiency * aligned / static_cast<double>(row.units),
                 element,
                 adds ? 2.0 : 1.0};
  TileChoice best;
  double least = -1;
  for (const ProductTiles::Tile& tile : row.tiles) {
    for (const int64_t parts : kParts) {
      if (parts > 1 && ceil_div(ceil_div(size.k, parts), tile.size[2]) * tile.size[2] < kLeastK) continue;
      const TileChoice choice = timed(on, tile, parts);
      const double seconds = std::max(choice.compute_s, choice.memory_s);
      if (least >= 0 && seconds >= least) continue;
      least = seconds;
      best = choice;
    }
  }
  return best;
}

bool draws_power(ElementType type) {
  return bits(type) <= 16;
}

double sustained_slowdown(const Hardware& hardware, double share) {
  const Hardware::Programs& of = hardware.programs;
  const double above = std::clamp((share - of.sustained_from) / (1 - of.sustained_from), 0.0, 1.0);
  return 1 + (1 / of.sustained - 1) * above;
}

Result<Cost> product_cost(const Hardware& hardware, const Peak& peak, const ProductSize& size, int64_t bytes,
                          bool adds) {
  if (const ProductTiles* row = product_tiles(hardware, peak.type)) {
    TRY_VOID(memory_rate(hardware));
    const TileChoice choice = fastest_tiles(hardware, *row, peak, size, bytes, adds);
    Cost cost;
    if (choice.compute_s >= choice.memory_s)
      cost.compute = to_picoseconds(choice.compute_s);
    else
      cost.memory = to_picoseconds(choice.memory_s);
    cost.overhead = to_picoseconds(row->launch_s);
    return cost;
  }
  const Picoseconds compute = to_picoseconds(padded_flops(hardware, size) / compute_rate(hardware, peak));
  TRY(const Picoseconds memory, memory_time(hardware, bytes));
  Cost cost;
  (compute >= memory ? cost.compute : cost.memory) = std::max(compute, memory);
  cost.overhead = to_picoseconds(hardware.compute.launch_overhead_s);
  return cost;
}

Result<Cost> work_cost(const Hardware& hardware, std::string_view kind, int64_t bytes, double operations) {
  const WorkRate* row = work_rate(hardware, kind);
  if (row == nullptr) return elementwise_cost(hardware, bytes, operations);
  TRY_VOID(memory_rate(hardware));
  Cost cost;
  cost.memory =
      to_picoseconds(static_cast<double>(bytes) / (*hardware.memory.hbm_bytes_per_s * row->hbm_efficiency));
  cost.overhead = to_picoseconds(row->launch_s);
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

double parts_s(const LinkOp& op, const CollectiveLoad& load) {
  if (!op.parts || !op.bytes_per_s || load.bytes <= 0) return 0;
  const LinkOp::Parts& parts = *op.parts;
  const int64_t ranks = std::max<int64_t>(load.ranks, 1);
  const auto peers = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(ranks)));
  // An exchange sends to all peers at once.
  const bool exchange = op.kind == name(CollectiveKind::all_to_all);
  const double message = exchange ? load.bytes / static_cast<double>(ranks) : load.bytes;
  const double waiting = exchange ? static_cast<double>(ceil_div(ranks, parts.channels)) : 1;
  const double at_rate = load.busiest_bytes / *op.bytes_per_s;
  int64_t channels = std::max<int64_t>(1, parts.channels / peers);
  double sent = 0;
  if (message <= parts.small_bytes) {
    sent = std::max(at_rate, message * waiting / (static_cast<double>(channels) * parts.small_bytes_per_s));
  } else {
    while (message / static_cast<double>(channels) > parts.bytes && channels <= parts.channels / 2)
      channels *= 2;
    const double channel =
        load.one_peer ? parts.one_peer_bytes_per_s.value_or(parts.bytes_per_s) : parts.bytes_per_s;
    sent = parts.launch_s + std::max(at_rate, message * waiting / (static_cast<double>(channels) * channel));
  }
  constexpr double kLeast = 1e-9;  // a message takes some time
  return std::max(kLeast, sent - parts.hidden_s) - at_rate;
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
         counted_bytes(op, load) / rate + ramp_s(op, load.bytes) + parts_s(op, load);
}

Picoseconds array_time(const Hardware& hardware, const Peak& peak, const ProductSize& size) {
  const int64_t rows = hardware.compute.mxu_rows, cols = hardware.compute.mxu_cols;
  const int64_t tiles = size.batch * ceil_div(size.k, rows) * ceil_div(size.n, cols);
  const double cycles = static_cast<double>(tiles) * static_cast<double>(size.m + 2 * rows + cols - 2) - 1;
  const double flops_per_cycle = 2.0 * static_cast<double>(rows * cols);
  return to_picoseconds(cycles * flops_per_cycle / compute_rate(hardware, peak));
}

}  // namespace shardscope::inline hardware
