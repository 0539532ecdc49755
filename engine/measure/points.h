// SPDX-License-Identifier: Apache-2.0
// Measurements of single operations, as a CSV file lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/base/result.h"
#include "engine/collectives/schedule.h"
#include "engine/hardware/cost.h"

namespace shardscope::inline measure {

enum class PointKind : uint8_t { product, elementwise, attention, collective, unknown };

struct MeasuredPoint {
  std::string id, source, chip;
  std::string topology;  // "switch 8, 2 groups of 4"
  std::string op;        // "matmul batch 4", "all-reduce", "softmax"
  std::string note;
  PointKind kind = PointKind::unknown;
  CollectiveKind collective = CollectiveKind::all_gather;  // of a collective
  int64_t devices = 1;
  int64_t group = 1;  // how many of the devices take part in one collective
  int64_t nodes = 1;  // that its devices are known to be in
  // Along which axis of a torus it went, where its topology says: "ring of 4, mesh axis 1".
  std::optional<int64_t> axis{};
  // Of a product; of attention: heads of all sequences, queries, size of a head, keys; of softmax m rows of n
  // elements, 1 of 1 where nothing says so.
  ProductSize size;
  int64_t slices = 1;   // of a product: k in so many, each added to the sum of those before it
  bool causal = false;  // attention
  // Of elementwise work what it reads and writes; of a collective the whole gathered, reduced or exchanged
  // array per device, of a permute its message.
  int64_t bytes = 0;
  std::optional<ElementType> dtype;
  double measured_s = 0;
  // Of a product that was run again and again: what the device did between two of them. None: once, or after
  // a rest.
  std::optional<double> between_s{};
  // Of a product whose note says "cold L2": the cache was full of what was written before, and as much of it
  // as a product reads goes to memory first.
  bool cache_is_written = false;
};

// Points that are fitted and judged together: "matmul", "softmax", "all-reduce 8", "collective-permute".
std::string group_of(const MeasuredPoint& point);
// What it grows with: flops of a product, bytes of everything else.
double size_of(const MeasuredPoint& point);
std::string what_of(const MeasuredPoint& point);  // "4 × 8192×1024×1024 bf16", "64 MiB, 2 groups of 4"

// Columns, by their names in the first line: id, source, chip, devices, topology, op, m, k, n, bytes, dtype,
// measured_us, note, between_us (of a batched product `bytes` counts its products, of a sliced one its
// slices, of attention the heads of all sequences); the order is free, id, source, note and between_us may be
// absent, others are passed over. An operation that no rule times is a point of kind unknown. Errors with
// file:line:column: a column is missing, a number is none or not in its range, a product without sizes or
// dtype, a collective without bytes, groups that do not make up the devices.
Result<std::vector<MeasuredPoint>> parse_points(std::string_view csv, std::string_view file_name);
Result<std::vector<MeasuredPoint>> read_points(const std::string& path);

// The measurements that chips are shipped with (presets/measured): published ones, and some of our own.
const std::vector<MeasuredPoint>& published_points();

}  // namespace shardscope::inline measure
