// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/halo.h"

#include <algorithm>
#include <numeric>

#include "engine/base/units.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// How far windows reach over the edges of their tiles: where a neighbour is (below 0: not as far), and at
// all.
struct Reach {
  int64_t left = 0, right = 0;
  int64_t lower = 0, upper = 0;  // of all windows, from the start of their tiles
};

Reach reach_of(const RowExchange& x) {
  Reach out;
  for (int64_t k = 0; k < x.count(); ++k) {
    const int64_t start = x.starts[static_cast<size_t>(k)] - k * x.tile;
    const int64_t limit = x.limits[static_cast<size_t>(k)] - k * x.tile;
    out.lower = k == 0 ? start : std::min(out.lower, start);
    out.upper = k == 0 ? limit : std::max(out.upper, limit);
    if (k > 0) out.left = k == 1 ? -start : std::max(out.left, -start);
    if (k + 1 < x.count()) out.right = k == 0 ? limit - x.tile : std::max(out.right, limit - x.tile);
  }
  return out;
}

// Tiles and parts of those around them, put together as XLA's ExchangeHalo does (spmd_partitioner_util.cc).
class NeighbourRows {
 public:
  NeighbourRows(SpmdWriter& writer, const SpmdScope& scope, const Sharded& value, const RowExchange& x)
      : writer_(writer), scope_(scope), value_(value), x_(x), reach_(reach_of(x)) {}

  InstructionId write() {
    add_left();
    const int64_t from = std::max<int64_t>(0, reach_.lower), to = std::min(x_.tile, reach_.upper);
    if (from < to) add(from, writer_.slice(value_.id, x_.dim, from, to));
    add_right();
    if (parts_.empty()) add(0, nothing(x_.size()));
    return cut_out(writer_.concatenate(parts_, x_.dim));
  }

 private:
  InstructionId nothing(int64_t rows) {
    Shape shape = writer_.shape(value_.id);
    shape.dims[x_.dim] = rows;
    return writer_.broadcast(writer_.zero(shape.type), shape.dims, {});
  }
  void add(int64_t at, InstructionId part) {
    if (parts_.empty()) begin_ = at;
    parts_.push_back(part);
  }
  // Rows [from, to) of the tile that stands `distance` places further on.
  void add_from(int64_t distance, int64_t from, int64_t to) {
    const int64_t at = distance * x_.tile + from;
    if (std::abs(distance) >= x_.count()) return add(at, nothing(to - from));
    const InstructionId part = writer_.slice(value_.id, x_.dim, from, to);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const auto& row : members_along(value_.tiling, x_.dim, value_.tiling.counts[x_.dim]).groups)
      for (int64_t k = 0; k < x_.count(); ++k)
        if (k + distance >= 0 && k + distance < x_.count())
          pairs.emplace_back(row[static_cast<size_t>(x_.places[static_cast<size_t>(k + distance)])],
                             row[static_cast<size_t>(x_.places[static_cast<size_t>(k)])]);
    std::ranges::sort(pairs);
    add(at, writer_.permute(part, scope_, pairs));
  }
  void add_left() {
    const int64_t tile = x_.tile;
    for (int64_t k = ceil_div(reach_.left, tile); k >= 1 && -k * tile < reach_.upper; --k) {
      const int64_t width = std::min(reach_.left - (k - 1) * tile, tile);
      add_from(-k, tile - width, tile - std::max<int64_t>(0, -(k - 1) * tile - reach_.upper));
    }
  }
  void add_right() {
    const int64_t tile = x_.tile;
    const int64_t skipped =
        std::min(std::max<int64_t>(0, reach_.lower - tile), std::max<int64_t>(0, reach_.right)) / tile;
    for (int64_t k = skipped + 1; k <= ceil_div(reach_.right, tile); ++k)
      add_from(k, std::max<int64_t>(0, reach_.lower - k * tile),
               std::min(reach_.right - (k - 1) * tile, tile));
  }
  // Where each window begins in what was put together.
  InstructionId cut_out(InstructionId id) {
    const int64_t size = x_.size();
    std::vector<int64_t> offsets;
    for (int64_t k = 0; k < x_.count(); ++k)
      offsets.push_back(x_.starts[static_cast<size_t>(k)] - k * x_.tile - begin_);
    const auto [least, most] = std::ranges::minmax(offsets);
    const int64_t low = std::max<int64_t>(0, -least);
    const int64_t high = std::max<int64_t>(0, most + size - writer_.shape(id).dims[x_.dim]);
    id = writer_.pad(id, x_.dim, {low, high, 0}, writer_.zero(writer_.shape(id).type));
    for (int64_t& offset : offsets) offset += low;
    if (least == most) return writer_.slice(id, x_.dim, offsets[0], offsets[0] + size);
    return writer_.rows_at(id, scope_, x_.dim, x_.by_device(value_.tiling, offsets), size);
  }

  SpmdWriter& writer_;
  const SpmdScope& scope_;
  const Sharded& value_;
  const RowExchange& x_;
  Reach reach_;
  std::vector<InstructionId> parts_;
  int64_t begin_ = 0;  // of the first part, from the start of a device's tile
};

}  // namespace

RowExchange exchange_for(const SpmdWriter& writer, const Sharded& value, const RowWindow& window) {
  RowExchange out;
  out.dim = window.dim;
  out.rows = value.base.dims[window.dim];
  out.tile = writer.shape(value.id).dims[window.dim];
  out.places.resize(window.starts.size());
  std::iota(out.places.begin(), out.places.end(), 0);
  out.starts = out.limits = window.starts;
  for (int64_t& limit : out.limits) limit += window.size;
  return out;
}

RowWay way_of(const RowExchange& x, SpmdDialect dialect) {
  if (x.count() == 1) return RowWay::neighbours;
  const int64_t size = x.size(), all = x.count() * x.tile;
  const Reach reach = reach_of(x);
  if (dialect == SpmdDialect::current && x.may_be_far &&
      std::max(-reach.lower, reach.upper - x.tile) > 2 * size)
    return 2 * size >= all ? RowWay::gather : RowWay::compact;
  const bool reaches_all = reach.left + reach.right + x.tile >= all;
  const bool is_beyond = reach.left > x.tile || reach.right > x.tile;
  return (reaches_all && is_beyond) || reach.lower >= reach.upper ? RowWay::gather : RowWay::neighbours;
}

Sharded exchanged_rows(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                       const RowExchange& x) {
  SpmdWriter& writer = cx.writer;
  const int64_t first = writer.count();
  Sharded out = value;
  if (x.tile == 0) {
    Shape shape = writer.shape(value.id);
    shape.dims[x.dim] = x.size();
    out.id = writer.broadcast(writer.zero(shape.type), shape.dims, {});
    return out;
  }
  out.id = writer.slice(value.id, x.dim, x.first, x.first + x.tile);
  out.id = way_of(x, writer.dialect()) == RowWay::compact ? compact_rows(writer, scope, out, x)
                                                          : NeighbourRows(writer, scope, out, x).write();
  cx.resharder.note(first, value.tiling, "the same, other rows");
  return out;
}

Sharded own_rows(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value, const Tiling& at,
                 const RowWindow& window, InstructionId filler) {
  const int64_t rows = value.base.dims[window.dim];
  const auto [least, most] = std::ranges::minmax(window.starts);
  const int64_t low = std::max<int64_t>(0, -least), high = std::max<int64_t>(0, most + window.size - rows);
  Sharded out = value;
  out.id = cx.writer.pad(value.id, window.dim, {low, high, 0}, filler);
  std::vector<int64_t> starts;
  for (const int64_t place : at.coordinates().along(window.dim))
    starts.push_back(window.starts[static_cast<size_t>(place)] + low);
  out.id = cx.writer.rows_at(out.id, scope, window.dim, starts, window.size);
  return out;
}

InstructionId only_rows_of_array(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                                 const RowWindow& window, InstructionId filler) {
  SpmdWriter& writer = cx.writer;
  const int64_t rows = value.base.dims[window.dim];
  const auto [least, most] = std::ranges::minmax(window.starts);
  if (least >= 0 && most + window.size <= rows) return value.id;
  const Shape here = writer.shape(value.id);
  const Shape index = Shape::array(ElementType::s32, here.dims);
  const InstructionId row = writer.op(Opcode::iota, index, {});
  writer.at(row).dimensions = {static_cast<int64_t>(window.dim)};
  const auto all = [&](InstructionId scalar) { return writer.broadcast(scalar, here.dims, {}); };
  std::vector<int64_t> starts;
  for (const int64_t place : value.tiling.coordinates().along(window.dim))
    starts.push_back(window.starts[static_cast<size_t>(place)]);
  const InstructionId global =
      writer.op(Opcode::add, index, {row, all(writer.table(scope, ElementType::s32, starts))});
  const InstructionId above =
      writer.compare(global, all(writer.zero(ElementType::s32)), CompareDirection::ge);
  const InstructionId below = writer.compare(
      global, all(writer.constant(ElementType::s32, std::to_string(rows))), CompareDirection::lt);
  const InstructionId inside = writer.op(Opcode::and_, writer.shape(above), {above, below});
  return writer.op(Opcode::select, here, {inside, value.id, all(filler)});
}

}  // namespace shardscope::inline partitioner
