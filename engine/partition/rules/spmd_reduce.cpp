// SPDX-License-Identifier: Apache-2.0
// Reductions and sorts.
#include <algorithm>
#include <optional>

#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/whole_dims.h"
#include "engine/partition/types/batched_call.h"
#include "engine/partition/types/identity.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/custom_target.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

std::vector<int64_t> kept_dims(const std::vector<int64_t>& reduced, size_t rank) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (std::ranges::count(reduced, d) == 0) out.push_back(d);
  return out;
}

}  // namespace

namespace spmd_rule {
namespace {

// Reducers that we do not know, and reductions of several arrays: every device reduces what it has, the
// results are gathered and reduced again. HLO allows initial values that count any number of times alone.
Result<ShardedLeaves> reduce_in_parts(const SpmdContext& cx, const Visit& v) {
  const size_t arrays = v.i.operands.size() / 2;
  const Tiling at = v.operand(0).tiling;
  const Tiling whole_dims = at.merged(v.i.dimensions);
  const std::vector<int64_t> kept = kept_dims(v.i.dimensions, at.rank());
  std::vector<InstructionId> operands, inits;
  for (size_t k = 0; k < arrays; ++k) inits.push_back(whole_operand(cx, v, arrays + k).id);
  for (size_t k = 0; k < arrays; ++k)
    operands.push_back(cx.resharder.masked(v.scope(), operand_as(cx, v, k, at), v.i.dimensions, inits[k]).id);
  operands.insert(operands.end(), inits.begin(), inits.end());
  TRY(Instruction made, with_called(cx, v));
  std::vector<int64_t> dims;
  for (const int64_t d : kept) dims.push_back(cx.writer.shape(operands[0]).dims[static_cast<size_t>(d)]);
  const Shape shape = with_dims(v.i.shape, dims);
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), whole_dims.mapped(kept));
  InstructionId id = write_like(cx, made, shape, operands);
  ShardedLeaves parts = leaves_of_value(cx.writer, id, v.i.shape, tilings);
  if (same_tiles(at, whole_dims)) return parts;
  Resharder::Because because(cx.resharder, "reduce: parts of the reduced dimensions are gathered",
                             v.source_of(0).name);
  const int64_t first = cx.writer.count();
  std::vector<int64_t> reduced = v.i.dimensions;
  std::ranges::sort(reduced);
  for (const int64_t d : reduced) dims.insert(dims.begin() + d, 1);
  for (size_t k = 0; k < arrays; ++k) {
    operands[k] = cx.writer.reshape(parts[k].id, dims);
    Tiling rest = at;
    for (size_t n = reduced.size(); n-- > 0;) {
      const auto d = static_cast<size_t>(reduced[n]);
      const int64_t ratio = rest.counts[d];
      if (ratio > 1)
        operands[k] = cx.writer.all_gather(operands[k], v.scope(), members_along(rest, d, ratio), d);
      rest = coarsened(rest, d, ratio);
    }
  }
  cx.resharder.note(first, at, whole_dims);
  id = write_like(cx, made, shape, operands);
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

}  // namespace

Result<ShardedLeaves> reduce(const SpmdContext& cx, const Visit& v) {
  SpmdWriter& writer = cx.writer;
  const bool single = v.i.operands.size() == 2;
  const Opcode op = single ? reducer_opcode(cx.source, v.i) : Opcode::unknown;
  const auto identity = identity_of(op, v.i.shape.type);
  if (!identity || v.i.shape.is_tuple) return reduce_in_parts(cx, v);
  const InstructionId neutral = writer.constant(v.i.shape.type, *identity);
  const Sharded value = cx.resharder.masked(v.scope(), v.operand(0), v.i.dimensions, neutral);
  const std::vector<int64_t> kept = kept_dims(v.i.dimensions, value.base.rank());
  Shape shape = v.i.shape;
  for (size_t k = 0; k < kept.size(); ++k)
    shape.dims[k] = writer.shape(value.id).dims[static_cast<size_t>(kept[k])];
  Instruction made = v.i;
  made.called = {{"to_apply", writer.reducer(op, v.i.shape.type)}};
  InstructionId id = write_like(cx, made, shape, {value.id, neutral});
  {
    Resharder::Because because(cx.resharder, "reduce: parts of the reduced dimensions are combined",
                               "result");
    const int64_t first = writer.count();
    id = cx.resharder.combined(v.scope(), {id, value.base, value.tiling}, v.i.dimensions, op);
    cx.resharder.note_sum(first, value.tiling.mapped(kept));
  }
  if (!is_literal(v.here, v.i.operands[1], *identity)) {
    const InstructionId init = writer.broadcast(whole_operand(cx, v, 1).id, shape.dims, {});
    id = writer.op(op, shape, {id, init});
  }
  return ShardedLeaves{{id, v.i.shape, value.tiling.mapped(kept)}};
}

// Elements move along the sorted dimension.
Result<ShardedLeaves> sort(const SpmdContext& cx, const Visit& v) {
  const Tiling at = whole_along(v.out(), v.operand(0).base.dims, v.i.dimensions);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) operands.push_back(operand_as(cx, v, k, at).id);
  TRY(const Instruction made, with_called(cx, v));
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), at);
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), operands);
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

// Each device transforms what lies before those dimensions; XLA's partitioner has whole arrays on every
// device.
Result<ShardedLeaves> fft(const SpmdContext& cx, const Visit& v) {
  const auto* own = std::get_if<Fft>(&*v.i.attributes);
  const size_t rank = v.operand(0).base.rank();
  if (cx.fitted == nullptr || own == nullptr || own->length.size() > rank) return replicated(cx, v);
  std::vector<int64_t> dims;
  for (size_t d = rank - own->length.size(); d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  const Tiling at = whole_along(v.operand(0).tiling, v.operand(0).base.dims, dims);
  const InstructionId operand = operand_as(cx, v, 0, at).id;
  const InstructionId id = write_like(cx, v.i, tiled_shape(v.i.shape, {at}), {operand});
  return leaves_of_value(cx.writer, id, v.i.shape, {at});
}

// Rows by themselves; XLA's partitioner finds the largest of the whole array on every device.
Result<ShardedLeaves> top_k(const SpmdContext& cx, const Visit& v) {
  const auto top = top_dims(v.here, v.i);
  if (!top) return replicated(cx, v);
  const Tiling& given = v.operand(0).tiling;
  const bool by_rows = cx.fitted != nullptr || custom_target(v.i) != CustomTarget::top_k;
  const Tiling at =
      by_rows ? given.merged({top->dimension}) : Tiling::replicated(given.rank(), given.devices());
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), at);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    operands.push_back(k < top->arrays ? operand_as(cx, v, k, at).id : whole_operand(cx, v, k).id);
  TRY(const Instruction made, with_called(cx, v));
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), std::move(operands));
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
