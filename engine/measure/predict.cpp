// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/predict.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/collectives/collective.h"
#include "engine/collectives/measured_pace.h"
#include "engine/hardware/cost.h"
#include "engine/hardware/fabric.h"
#include "engine/program/build/builder.h"
#include "engine/schedule/schedule.h"

namespace shardscope::inline measure {
namespace {

Result<double> product_seconds(const Hardware& hardware, const MeasuredPoint& point) {
  TRY(const Peak peak, peak_for(hardware, *point.dtype));
  const auto& [batch, m, k, n] = point.size;
  const auto product_of = [](int64_t a, int64_t b, int64_t c) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
  };
  const double element = static_cast<double>(bits(*point.dtype)) / 8;
  const double sides_bytes = element * (product_of(batch, m, k) + product_of(batch, k, n));
  // Products of 8 bits give 16.
  const double result_bytes = std::max(element, 2.0) * product_of(batch, m, n);
  if (sides_bytes + result_bytes > 1e18 || size_of(point) > 1e24)
    return invalid(
        fmt::format("a product of {:.2g} bytes and {:.2g} flops", sides_bytes + result_bytes, size_of(point)),
        point.id, "no memory holds it");
  const auto result = static_cast<int64_t>(result_bytes);
  const int64_t slices = point.slices;
  // A slice reads its part of both sides, and the sum so far.
  int64_t sides = static_cast<int64_t>(sides_bytes) / slices;
  // What is read takes the place of what the cache has to write back. It keeps a line in both of its halves:
  // the points of h200 in bf16 and fp8 show 0.4 to 0.7 of it.
  constexpr double kWritten = 0.5;
  if (point.cache_is_written && hardware.memory.fast_bytes && slices == 1)
    sides += std::min(sides, static_cast<int64_t>(kWritten * *hardware.memory.fast_bytes));
  TRY(const Cost cost, product_cost(hardware, peak, {batch, m, k / slices, n},
                                    sides + (slices > 1 ? 2 : 1) * result, slices > 1));
  // Slices follow one another.
  const double seconds =
      hardware.programs.alone_launch_s + static_cast<double>(slices) * to_seconds(cost.total());
  if (!point.between_s || !draws_power(peak.type)) return seconds;
  // Of a card that has no rest the clock falls, as far as arithmetic fills its time.
  const double arithmetic = static_cast<double>(slices) * to_seconds(cost.compute);
  const double slower = sustained_slowdown(hardware, arithmetic / (seconds + *point.between_s));
  return seconds + arithmetic * (slower - 1);
}

// By the share of the peak that attention has on the chip, else by that of products; queries and keys, values
// and results go through memory once.
Result<double> attention_seconds(const Hardware& hardware, const MeasuredPoint& point) {
  TRY(const Peak peak, peak_for(hardware, *point.dtype));
  const auto& [heads, queries, width, keys] = point.size;
  const double bytes = 2.0 * static_cast<double>(heads * width) * static_cast<double>(queries + keys) *
                       static_cast<double>(bits(*point.dtype)) / 8;
  TRY(const double rate, memory_rate(hardware));
  const WorkRate* row = work_rate(hardware, "attention");
  const double flops_rate =
      row != nullptr && row->efficiency ? peak.flops_per_s * *row->efficiency : compute_rate(hardware, peak);
  const double launch = row != nullptr ? row->launch_s : hardware.compute.launch_overhead_s;
  // Tiles on the diagonal of a mask are computed whole.
  constexpr double kTile = 128;
  const double whole = point.causal ? 1 + kTile / static_cast<double>(keys) : 1;
  return hardware.programs.alone_launch_s + launch +
         std::max(whole * size_of(point) / flops_rate, bytes / rate);
}

constexpr std::string_view kShortRows = "softmax-short";

// Longer rows are a block of threads each; a wave of them over the multiprocessors waits for its sums.
double waves_seconds(const Hardware& hardware, std::string_view kind, const MeasuredPoint& point) {
  const WorkRate* wave = kind == "softmax" ? work_rate(hardware, "softmax-wave") : nullptr;
  if (wave == nullptr || !point.dtype) return 0;
  const ProductTiles* row = product_tiles(hardware, *point.dtype);
  const int64_t units = row != nullptr ? row->units : hardware.compute.units.value_or(1);
  return static_cast<double>(ceil_div(point.size.m, units)) * wave->launch_s;
}

// Of softmax and its like no operations are counted: where vector units are known, they hide behind the
// traffic. What is measured as an add adds an array to itself: its bytes name three arrays, of which two
// move.
Result<double> elementwise_seconds(const Hardware& hardware, const MeasuredPoint& point) {
  const std::string kind = work_kind(hardware, point);
  int64_t bytes = point.op == "add" ? point.bytes / 3 * 2 : point.bytes;
  // Its exponentials take longer than its traffic, whatever the type: it counts as of 16 bits.
  if (kind == kShortRows) bytes = 4 * point.size.m * point.size.n;
  TRY(const Cost cost, work_cost(hardware, kind, bytes));
  return hardware.programs.alone_launch_s + to_seconds(cost.total()) + waves_seconds(hardware, kind, point);
}

Value moved(SpmdBuilder& b, Value v, CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_gather:
      return b.all_gather(v, "x", 0);
    case CollectiveKind::reduce_scatter:
      return b.reduce_scatter(v, "x", 0);
    case CollectiveKind::all_to_all:
      return b.all_to_all(v, "x", 0);
    case CollectiveKind::permute:
      return b.shift(v, "x", 1);
    default:
      return b.all_reduce(v, "x");
  }
}

}  // namespace

std::string work_kind(const Hardware& hardware, const MeasuredPoint& point) {
  // PyTorch's softmax, aten/src/ATen/native/cuda/SoftMax.cu: rows that a warp keeps in its registers.
  constexpr int64_t kShortElements = 1024, kShortBytes = 4096;
  if (point.op == "h2d") return "host-copy";
  const bool is_short = point.op == "softmax" && point.dtype && point.size.n <= kShortElements &&
                        point.size.n * bits(*point.dtype) / 8 <= kShortBytes && point.size.m > 1;
  return is_short && work_rate(hardware, kShortRows) != nullptr ? std::string(kShortRows) : point.op;
}

GroupLoad load_of(CollectiveKind kind, int64_t group) {
  if (kind == CollectiveKind::permute) return {1, 1};
  const auto schedule =
      lower(kind, measured_algorithm(kind), static_cast<int32_t>(group), {.all_pairs = true}).value();
  std::vector<Transfer> sent;
  for (int32_t step = 0; step < schedule->steps(); ++step) schedule->append_from(step, 0, sent);
  double chunks = 0;
  for (const Transfer& transfer : sent) chunks += transfer.count;
  // The whole of an all-to-all is what all ranks exchange, a point names what one does.
  const double whole = kind == CollectiveKind::all_to_all ? static_cast<double>(group) : 1;
  return {schedule->steps(), chunks / schedule->chunks() * whole};
}

namespace {

// Points name the pattern of a permute: in a ring every chip has two peers.
CollectiveLoad load_of(const MeasuredPoint& point, const GroupLoad& load) {
  const auto bytes = static_cast<double>(point.bytes);
  const bool one_peer =
      point.op.find("pair swap") != std::string::npos || point.op.find("one way") != std::string::npos;
  return {point.group, load.steps, bytes, bytes * load.busiest_share, one_peer};
}

}  // namespace

double row_seconds(const Hardware& hardware, const LinkOp& row, const GroupLoad& load,
                   const MeasuredPoint& point) {
  return collective_s(hardware, row, load_of(point, load)).value();
}

bool spans_nodes(const Hardware& hardware, const MeasuredPoint& point) {
  if (point.kind != PointKind::collective) return false;
  return point.nodes > 1 || (topology_of(hardware, point.group) == Topology::two_level &&
                             hardware.node_devices && point.group > *hardware.node_devices);
}

const LinkOp* row_for(const Hardware& hardware, const MeasuredPoint& point) {
  if (spans_nodes(hardware, point)) return nullptr;
  const LinkOp* on_axis =
      point.axis ? link_op(hardware, name(point.collective), point.group, point.axis) : nullptr;
  return on_axis != nullptr ? on_axis : link_op(hardware, name(point.collective), point.group);
}

Result<double> scheduled_seconds(const Hardware& hardware, const MeasuredPoint& point,
                                 const std::stop_token& stop) {
  // In elements of 2 bytes, whatever they were, that nothing has to convert. What does not divide is rounded
  // up.
  const bool permutes = point.collective == CollectiveKind::permute;
  const int64_t elements = ceil_div(point.bytes, 2);
  const int64_t share = permutes ? elements : ceil_div(elements, point.group);
  const int64_t whole = share * point.group;
  TRY(const Mesh unwrapped, Mesh::make({{"x", point.group}}));
  const Mesh mesh = with_chip_wraps(unwrapped, hardware);
  SpmdBuilder b("measured", mesh, {whole, 1, 1, ElementType::bf16, ElementType::bf16}, {}, stop);
  const PartitionSpec all = PartitionSpec::parse("P(None)").value(),
                      split = PartitionSpec::parse("P('x')").value();
  const bool from_shards = permutes || point.collective == CollectiveKind::all_gather;
  const bool to_shards = permutes || point.collective == CollectiveKind::reduce_scatter;
  const Value out = moved(b, b.input(ArrayRole::lhs, {whole}, from_shards ? split : all), point.collective);
  TRY(const Program program, b.finish(out, ArrayRole::result, {whole}, to_shards ? split : all));
  ScheduleOptions options;
  options.keep_events = false;
  // What was measured goes by the steps of a ring, as load_of counts them.
  const bool rings = !permutes && point.collective != CollectiveKind::all_to_all;
  if (rings && row_for(hardware, point) != nullptr) options.collective = CollectiveAlgorithm::ring;
  TRY(const Timeline timeline, schedule(program, hardware, options, stop));
  return to_seconds(timeline.total);
}

Result<double> predicted_seconds(const Hardware& hardware, const MeasuredPoint& point,
                                 const std::stop_token& stop) {
  switch (point.kind) {
    case PointKind::product:
      return product_seconds(hardware, point);
    case PointKind::elementwise:
      return elementwise_seconds(hardware, point);
    case PointKind::attention:
      return attention_seconds(hardware, point);
    case PointKind::collective:
      break;
    case PointKind::unknown:
      return invalid(fmt::format("no cost rule for '{}'", point.op), point.id);
  }
  const LinkOp* row = row_for(hardware, point);
  if (row == nullptr) return scheduled_seconds(hardware, point, stop);
  return collective_s(hardware, *row, load_of(point, load_of(point.collective, point.group)));
}

}  // namespace shardscope::inline measure
