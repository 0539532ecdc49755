// SPDX-License-Identifier: Apache-2.0
// Rules for instructions that move data: what is cut along a dimension that they change.
#include <algorithm>
#include <numeric>

#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/whole_dims.h"
#include "engine/partition/rules/windowed_input.h"
#include "engine/partition/types/reshape_tiling.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

// Each device has turned its own tile; the tiles stand in the opposite order.
Tiling turned(const Tiling& at, const std::vector<int64_t>& dims) {
  Tiling out = at;
  auto place = at.coordinates();
  for (size_t device = 0; device < place.size(); ++device)
    for (const int64_t dim : dims) {
      const auto d = static_cast<size_t>(dim);
      place[device][d] = at.counts[d] - 1 - place[device][d];
    }
  std::ranges::stable_sort(out.order.edit(), {}, [&](int64_t device) {
    int64_t flat = 0;
    for (size_t d = 0; d < at.rank(); ++d) flat = flat * at.counts[d] + place[static_cast<size_t>(device)][d];
    return flat;
  });
  return out;
}

// An array whose first rows along `dim` come behind the others.
struct Rotation {
  InstructionId of;
  size_t dim = 0;
  int64_t first = 0;  // rows that go to the end
};
std::optional<Rotation> rotation_of(const Visit& v) {
  if (v.i.operands.size() != 2) return std::nullopt;
  const Instruction &rest = v.source_of(0), &start = v.source_of(1);
  if (rest.opcode != Opcode::slice || start.opcode != Opcode::slice || rest.operands != start.operands)
    return std::nullopt;
  const auto dim = static_cast<size_t>(v.i.dimensions.front());
  const std::vector<int64_t>& dims = v.here.at(rest.operands.front()).shape.dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    const SliceDim &r = rest.slice[d], &s = start.slice[d];
    const int64_t cut = d == dim ? s.limit : 0;
    if (r.stride != 1 || s.stride != 1 || s.start != 0 || r.start != cut || r.limit != dims[d])
      return std::nullopt;
    if (d != dim && s.limit != dims[d]) return std::nullopt;
  }
  return Rotation{rest.operands.front(), dim, start.slice[dim].limit};
}

// Rows [from, to) of the tile that stands `distance` places further on, round the end.
InstructionId rows_from(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value,
                        const Rotation& rotation, int64_t distance, std::pair<int64_t, int64_t> rows) {
  const InstructionId part = cx.writer.slice(value.id, rotation.dim, rows.first, rows.second);
  const int64_t count = value.tiling.counts[rotation.dim];
  if (distance % count == 0) return part;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const auto& row : members_along(value.tiling, rotation.dim, count).groups)
    for (int64_t place = 0; place < count; ++place)
      pairs.emplace_back(row[static_cast<size_t>((place + distance) % count)],
                         row[static_cast<size_t>(place)]);
  std::ranges::sort(pairs);
  return cx.writer.permute(part, scope, pairs);
}

// What each device needs of a rotated array stands on two others at most.
std::optional<ShardedLeaves> rotated(const SpmdContext& cx, const Visit& v) {
  const auto rotation = rotation_of(v);
  if (!rotation || cx.writer.dialect() == SpmdDialect::tpu2022) return std::nullopt;
  const int64_t count = v.out().counts[rotation->dim], size = v.i.shape.dims[rotation->dim];
  if (count == 1 || size % count != 0) return std::nullopt;
  Resharder::Because because(cx.resharder, "concatenate: rows that go round come from other devices",
                             "rotation");
  const Sharded& source = v.places.values.at({rotation->of.value, v.region}).front();
  const Sharded value = cx.resharder.to(v.scope(), source, v.out());
  const int64_t tile = size / count, far = rotation->first / tile, cut = rotation->first % tile;
  const int64_t first = cx.writer.count();
  InstructionId id = rows_from(cx, v.scope(), value, *rotation, far, {cut, tile});
  if (cut > 0) {
    const InstructionId end = rows_from(cx, v.scope(), value, *rotation, far + 1, {0, cut});
    id = cx.writer.concatenate({id, end}, rotation->dim);
  }
  cx.resharder.note(first, v.out(), "the same, rows turned round");
  return ShardedLeaves{{id, v.i.shape, v.out()}};
}

std::optional<WindowedInput> rows_for(const SpmdContext& cx, const Visit& v, const Sharded& value,
                                      const std::vector<WindowDim>& window, const Tiling& at,
                                      std::optional<InstructionId> filler) {
  const std::string what(opcode_text(v.i.opcode));
  return windowed_input(cx, v.scope(), value,
                        {window,
                         at,
                         filler,
                         {what + ": rows that now belong to another device come from its neighbours",
                          what + ": rows that now belong to another device lie too far off for neighbours",
                          v.source_of(0).name}});
}

// The tiles of an array of other dimensions, which nobody is to take for those of the value.
InstructionId other_than(const SpmdContext& cx, InstructionId id, const Sharded& value) {
  return id == value.id ? cx.writer.op(Opcode::copy, cx.writer.shape(id), {id}) : id;
}

// Each device takes its part of the slice, cut as `at` says, where it is one.
std::optional<Sharded> sliced_at(const SpmdContext& cx, const Visit& v, const Tiling& at) {
  if (at.is_replicated()) return std::nullopt;
  const std::vector<int64_t>& base = v.operand(0).base.dims;
  std::vector<WindowDim> window(base.size());
  for (size_t d = 0; d < base.size(); ++d) {
    const SliceDim& s = v.i.slice[d];
    window[d] = {1, s.stride, -s.start, s.limit - base[d]};
  }
  const Sharded value = operand_as(cx, v, 0, at);
  const auto in = rows_for(cx, v, value, window, at, std::nullopt);
  if (!in) return std::nullopt;
  const std::vector<int64_t> rows = cx.writer.shape(in->value.id).dims;
  std::vector<SliceDim> local(base.size());
  for (size_t d = 0; d < base.size(); ++d)
    local[d] = {-in->window[d].low, rows[d] + in->window[d].high, in->window[d].stride};
  if (rows == tile_dims(at, v.i.shape.dims))
    return Sharded{other_than(cx, in->value.id, value), v.i.shape, at};
  const Sharded out = write_tiled(cx, v, at, {in->value.id});
  cx.writer.at(out.id).slice = std::move(local);
  return out;
}

// The value with what stands before, between and behind its rows.
std::optional<Sharded> padded(const SpmdContext& cx, const Visit& v, const Sharded& value,
                              const std::vector<PadDim>& padding, InstructionId filler) {
  std::vector<WindowDim> window;
  for (const PadDim& p : padding) window.push_back({1, 1, p.low, p.high, p.interior + 1});
  const auto in = rows_for(cx, v, value, window, v.out(), filler);
  if (!in) return std::nullopt;
  InstructionId id = in->value.id;
  for (size_t d = 0; d < padding.size(); ++d) {
    const WindowDim& w = in->window[d];
    id = cx.writer.pad(id, d, {w.low, w.high, w.base_dilation - 1}, filler);
  }
  id = own_part(cx, v.scope(), id, in->begins, tile_dims(v.out(), v.i.shape.dims));
  return Sharded{other_than(cx, id, value), v.i.shape, v.out()};
}

bool is_read_once(const Computation& computation, InstructionId id) {
  int64_t readers = computation.root == id ? 1 : 0;
  for (const Instruction& i : computation.instructions) readers += std::ranges::count(i.operands, id);
  return readers == 1;
}

// Of a slice of padded rows that nobody else reads the padding that is left, so that rows move once.
std::optional<std::vector<PadDim>> padding_left(const Visit& v) {
  const Instruction& pad = v.source_of(0);
  const auto* padding = std::get_if<Padding>(&*pad.attributes);
  if (padding == nullptr || !same_tiles(v.operand(0).tiling, v.out())) return std::nullopt;
  std::vector<PadDim> out = padding->dims;
  bool moves_twice = false;
  for (size_t d = 0; d < out.size(); ++d) {
    const SliceDim& s = v.i.slice[d];
    const int64_t rows = pad.shape.dims[d];
    if (out[d].interior != 0 || s.stride != 1) return std::nullopt;
    moves_twice = moves_twice || (v.out().counts[d] > 1 && (out[d].low != 0 || out[d].high != 0) &&
                                  v.i.shape.dims[d] != rows);
    out[d].low -= s.start;
    out[d].high -= rows - s.limit;
  }
  if (!moves_twice || !is_read_once(v.here, v.i.operands[0])) return std::nullopt;
  return out;
}

std::optional<Sharded> slice_of_pad(const SpmdContext& cx, const Visit& v) {
  const auto padding = padding_left(v);
  if (!padding || cx.writer.dialect() == SpmdDialect::tpu2022) return std::nullopt;
  const auto operand = [&](size_t k) {
    return v.places.values.at({v.source_of(0).operands[k].value, v.region}).front();
  };
  const Tiling whole = Tiling::replicated(0, v.scope().size());
  return padded(cx, v, operand(0), *padding, cx.resharder.to(v.scope(), operand(1), whole).id);
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> broadcast(const SpmdContext& cx, const Visit& v) {
  const Sharded from = operand_as(cx, v, 0, v.out().mapped(v.i.dimensions));
  return ShardedLeaves{write_tiled(cx, v, v.out(), {from.id})};
}

Result<ShardedLeaves> transpose(const SpmdContext& cx, const Visit& v) {
  std::vector<int64_t> back(v.i.dimensions.size());
  for (size_t d = 0; d < back.size(); ++d)
    back[static_cast<size_t>(v.i.dimensions[d])] = static_cast<int64_t>(d);
  const Sharded from = operand_as(cx, v, 0, v.out().mapped(back));
  return ShardedLeaves{write_tiled(cx, v, v.out(), {from.id})};
}

Result<ShardedLeaves> reshape(const SpmdContext& cx, const Visit& v) {
  const Sharded& from = v.operand(0);
  const auto forward = through_reshape(from.tiling, from.base.dims, v.i.shape.dims);
  if (forward.complete) return ShardedLeaves{write_tiled(cx, v, forward.to, {from.id})};
  const auto backward = through_reshape(v.out(), v.i.shape.dims, from.base.dims);
  const Sharded moved = operand_as(cx, v, 0, backward.complete ? backward.to : forward.from);
  return ShardedLeaves{write_tiled(cx, v, backward.complete ? v.out() : forward.to, {moved.id})};
}

// Between layouts it is written out before (spmd_prepare).
Result<ShardedLeaves> bitcast(const SpmdContext& cx, const Visit& v) {
  const bool as_many = v.operand(0).base.element_count() == v.i.shape.element_count();
  return as_many ? reshape(cx, v) : replicated(cx, v);
}

Result<ShardedLeaves> concatenate(const SpmdContext& cx, const Visit& v) {
  if (auto turned_round = rotated(cx, v)) return *std::move(turned_round);
  // A cut that goes to another dimension of all operands goes there and back.
  std::vector<int64_t> dims = v.i.shape.dims;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = std::gcd(dims[d], v.operand(k).base.dims[d]);
  const Tiling at = whole_along(v.out(), dims, v.i.dimensions);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) {
    const bool is_needed = v.operand(k).base.element_count() > 0 || v.i.shape.element_count() == 0;
    if (is_needed) operands.push_back(operand_as(cx, v, k, at).id);
  }
  return ShardedLeaves{write_tiled(cx, v, at, std::move(operands))};
}

// In the tiles of the operand where it has more of them than the result.
Result<ShardedLeaves> slice(const SpmdContext& cx, const Visit& v) {
  const Tiling& given = v.operand(0).tiling;
  if (v.i.shape.element_count() == 0) {
    const InstructionId zero = cx.writer.zero(v.i.shape.type);
    return ShardedLeaves{
        {cx.writer.broadcast(zero, tile_dims(v.out(), v.i.shape.dims), {}), v.i.shape, v.out()}};
  }
  std::optional<Sharded> made = slice_of_pad(cx, v);
  if (!made && given.tiles() > v.out().tiles()) made = sliced_at(cx, v, given);
  if (!made) made = sliced_at(cx, v, v.out());
  return made ? ShardedLeaves{*made} : replicated(cx, v);
}

Result<ShardedLeaves> pad(const SpmdContext& cx, const Visit& v) {
  TRY(const std::vector<PadDim> padding, pad_dims(v.i, v.operand(0).base.rank()));
  const auto made = padded(cx, v, v.operand(0), padding, whole_operand(cx, v, 1).id);
  return made ? ShardedLeaves{*made} : replicated(cx, v);
}

// Each device turns its own tile, and the tiles stand in the opposite order. What uneven tiles lack at the
// end of the array they lack at its start first.
Result<ShardedLeaves> reverse(const SpmdContext& cx, const Visit& v) {
  const Tiling& at = v.out();
  if (at.is_replicated()) return replicated(cx, v);
  const std::vector<int64_t> tile = tile_dims(at, v.i.shape.dims);
  std::vector<WindowDim> window(at.rank());
  for (const int64_t dim : v.i.dimensions) {
    const auto d = static_cast<size_t>(dim);
    window[d].low = tile[d] * at.counts[d] - v.i.shape.dims[d];
  }
  const Tiling from = turned(at, v.i.dimensions);
  const auto in = rows_for(cx, v, operand_as(cx, v, 0, from), window, from, std::nullopt);
  if (!in) return replicated(cx, v);
  return ShardedLeaves{write_tiled(cx, v, at, {in->value.id})};
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
