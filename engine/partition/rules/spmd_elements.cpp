// SPDX-License-Identifier: Apache-2.0
// Arrays out of nothing, instructions that work element by element, tuples, and what has no rule.
#include <fmt/format.h>
#include <numeric>

#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/leaf_shardings.h"

namespace shardscope::inline partitioner {
namespace {

// One device's array, given to all.
Sharded from_one_device(const SpmdContext& cx, const SpmdScope& scope, const Sharded& value, int64_t device) {
  SpmdWriter& writer = cx.writer;
  Resharder::Because because(cx.resharder, "maximal: one device has the array, so it is sent to all",
                             "device " + std::to_string(device));
  const int64_t first = writer.count();
  const Shape shape = writer.shape(value.id);
  const InstructionId here = writer.compare(
      scope.partition_id, writer.constant(ElementType::u32, std::to_string(device)), CompareDirection::eq);
  const InstructionId id = writer.op(Opcode::select, shape,
                                     {writer.broadcast(here, shape.dims, {}), value.id,
                                      writer.broadcast(writer.zero(shape.type), shape.dims, {})});
  Sharded out{writer.all_reduce(id, scope, scope.groups, writer.adding_up(shape.type)), value.base,
              value.tiling};
  cx.resharder.note(first, fmt::format("{{maximal device={}}}", device), "{replicated}");
  return out;
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> parameter(const SpmdContext& cx, const Visit& v) {
  const std::vector<Tiling>& tilings = v.given != nullptr ? *v.given : v.wanted;
  const InstructionId id = write_like(cx, v.i, tiled_shape(v.i.shape, tilings), {});
  if (!v.i.shape.is_tuple) cx.writer.at(id).sharding = tilings.front().sharding();
  ShardedLeaves out = leaves_of_value(cx.writer, id, v.i.shape, tilings);
  for (size_t leaf = 0; v.given == nullptr && leaf < out.size(); ++leaf)
    if (v.shardings[leaf].kind == HloSharding::Kind::maximal)
      out[leaf] = from_one_device(cx, v.scope(), out[leaf], v.shardings[leaf].device);
  return out;
}

Result<ShardedLeaves> constant(const SpmdContext& cx, const Visit& v) {
  return ShardedLeaves{write_tiled(cx, v, Tiling::replicated(v.i.shape.rank(), v.scope().size()), {})};
}

Result<ShardedLeaves> iota(const SpmdContext& cx, const Visit& v) {
  SpmdWriter& writer = cx.writer;
  const auto dim = static_cast<size_t>(v.i.dimensions.empty() ? 0 : v.i.dimensions.front());
  const Sharded local = write_tiled(cx, v, v.out(), {});
  if (v.out().counts[dim] == 1) return ShardedLeaves{local};
  Shape tile = v.i.shape;
  tile.dims = tile_dims(v.out(), tile.dims);
  std::vector<int64_t> offsets;
  for (const int64_t place : v.out().coordinates().along(dim)) offsets.push_back(place * tile.dims[dim]);
  InstructionId offset = writer.table(v.scope(), ElementType::s32, offsets);
  if (tile.type != ElementType::s32) offset = writer.op(Opcode::convert, Shape::scalar(tile.type), {offset});
  const InstructionId id = writer.op(Opcode::add, tile, {local.id, writer.broadcast(offset, tile.dims, {})});
  return ShardedLeaves{{id, v.i.shape, v.out()}};
}

namespace {

// `made`: the instruction, calling what it calls in the written program.
ShardedLeaves by_element(const SpmdContext& cx, const Visit& v, const Instruction& made) {
  const auto is_array = [&](size_t k) { return v.operand(k).base.dims == v.i.shape.dims; };
  const Tiling& first = v.operand(0).tiling;
  bool agree = v.i.operands.size() > 1;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    agree = agree && is_array(k) && same_tiles(v.operand(k).tiling, first);
  const Tiling at = agree ? first : v.out();
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    operands.push_back(is_array(k) ? operand_as(cx, v, k, at).id : whole_operand(cx, v, k).id);
  Shape tile = v.i.shape;
  tile.dims = tile_dims(at, tile.dims);
  return {{write_like(cx, made, std::move(tile), std::move(operands)), v.i.shape, at}};
}

}  // namespace

// Where all operands agree the work is done there, and its result moved; else they come to the result.
Result<ShardedLeaves> elementwise(const SpmdContext& cx, const Visit& v) {
  return by_element(cx, v, v.i);
}

Result<ShardedLeaves> map(const SpmdContext& cx, const Visit& v) {
  TRY(const Instruction made, with_called(cx, v));
  return by_element(cx, v, made);
}

// Elements of another width are a dimension of their own, the last, which stays whole.
Result<ShardedLeaves> bitcast_convert(const SpmdContext& cx, const Visit& v) {
  const size_t from = v.operand(0).base.rank(), to = v.i.shape.rank();
  if (from == to) return elementwise(cx, v);
  std::vector<int64_t> map(to, -1);
  std::iota(map.begin(), map.begin() + static_cast<std::ptrdiff_t>(std::min(from, to)), 0);
  Tiling at = v.operand(0).tiling;
  if (from > to) at = at.merged({static_cast<int64_t>(to)});
  return ShardedLeaves{write_tiled(cx, v, at.mapped(map), {operand_as(cx, v, 0, at).id})};
}

// The size of the whole array.
Result<ShardedLeaves> dimension_size(const SpmdContext& cx, const Visit& v) {
  const int64_t size = v.operand(0).base.dims[static_cast<size_t>(v.i.dimensions.front())];
  const InstructionId id = cx.writer.constant(ElementType::s32, std::to_string(size));
  return ShardedLeaves{{id, v.i.shape, Tiling::replicated(0, v.scope().size())}};
}

// Copies and barriers; of tuples they are the arrays themselves, and so of what waits for a token.
Result<ShardedLeaves> copy(const SpmdContext& cx, const Visit& v) {
  if (v.i.shape.is_tuple || v.i.operands.size() != 1) return v.leaves(0);
  return elementwise(cx, v);
}

Result<ShardedLeaves> tuple(const SpmdContext&, const Visit& v) {
  ShardedLeaves out;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    out.insert(out.end(), v.leaves(k).begin(), v.leaves(k).end());
  return out;
}

Result<ShardedLeaves> get_tuple_element(const SpmdContext&, const Visit& v) {
  const Shape& from = v.source_of(0).shape;
  std::ptrdiff_t first = 0;
  for (int64_t e = 0; e < v.i.tuple_index; ++e)
    first += static_cast<std::ptrdiff_t>(leaf_count(from.elements[static_cast<size_t>(e)]));
  const auto begin = v.leaves(0).begin() + first;
  return ShardedLeaves(begin, begin + static_cast<std::ptrdiff_t>(leaf_count(v.i.shape)));
}

Result<ShardedLeaves> replicated(const SpmdContext& cx, const Visit& v) {
  const int64_t devices = v.scope().size();
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) {
    Resharder::Because because(
        cx.resharder, std::string(opcode_text(v.i.opcode)) + ": has no rule, so every device does all of it",
        v.source_of(k).name);
    ShardedLeaves full;
    for (const Sharded& leaf : v.leaves(k))
      full.push_back(cx.resharder.to(v.scope(), leaf, Tiling::replicated(leaf.base.rank(), devices)));
    operands.push_back(tuple_of(cx.writer, full, v.source_of(k).shape));
  }
  TRY(const Instruction made, with_called(cx, v));
  const InstructionId id = write_like(cx, made, v.i.shape, operands);
  return leaves_of_value(cx.writer, id, v.i.shape, replicated_leaves(v.i.shape, devices));
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
