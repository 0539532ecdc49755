// SPDX-License-Identifier: Apache-2.0
// Reductions and sorts.
#include <algorithm>
#include <optional>

#include "engine/partition/reshard/tiling_moves.h"
#include "engine/partition/rules/spmd_visitor.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope {
namespace {

// The least (or greatest) value of a type.
std::optional<std::string> least(ElementType type, bool is_least) {
  if (type == ElementType::pred) return is_least ? "false" : "true";
  if (is_floating(type)) return is_least ? "-inf" : "inf";
  if (!is_integer(type)) return std::nullopt;
  const int64_t size = bits(type);
  if (name(type)[0] == 'u') {
    const uint64_t all = size >= 64 ? UINT64_MAX : (uint64_t{1} << size) - 1;
    return std::to_string(is_least ? 0 : all);
  }
  const int64_t most = size >= 64 ? INT64_MAX : (int64_t{1} << (size - 1)) - 1;
  return std::to_string(is_least ? -most - 1 : most);
}

std::vector<int64_t> kept_dims(const std::vector<int64_t>& reduced, size_t rank) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (std::ranges::count(reduced, d) == 0) out.push_back(d);
  return out;
}

// Shapes of the elements, or the one shape.
Shape with_dims(Shape shape, const std::vector<int64_t>& dims) {
  for (Shape& element : shape.elements) element.dims = dims;
  if (!shape.is_tuple) shape.dims = dims;
  return shape;
}

bool is_literal(const Computation& c, InstructionId id, const std::string& literal) {
  const Instruction& i = c.at(id);
  return i.opcode == Opcode::constant && (i.literal == literal || (literal == "0" && i.literal == "0.0"));
}

}  // namespace

std::optional<std::string> identity_of(Opcode opcode, ElementType type) {
  const bool truth = type == ElementType::pred;
  switch (opcode) {
    case Opcode::add:
      return truth ? "false" : "0";
    case Opcode::multiply:
      return truth ? "true" : "1";
    case Opcode::or_:
      return truth ? std::optional<std::string>("false") : std::nullopt;
    case Opcode::and_:
      return truth ? std::optional<std::string>("true") : std::nullopt;
    case Opcode::maximum:
      return least(type, true);
    case Opcode::minimum:
      return least(type, false);
    default:
      return std::nullopt;
  }
}

Result<ShardedLeaves> SpmdVisitor::reduce(const Visit& v) {
  const bool single = v.i.operands.size() == 2;
  const Opcode op = single ? reducer_opcode(source_, v.i) : Opcode::unknown;
  const auto identity = identity_of(op, v.i.shape.type);
  Sharded value = operand(v, 0);
  if (!identity || v.i.shape.is_tuple) return reduce_in_parts(v);
  const InstructionId neutral = writer_.constant(v.i.shape.type, *identity);
  value = resharder_.masked(scope(), value, v.i.dimensions, neutral);
  const std::vector<int64_t> kept = kept_dims(v.i.dimensions, value.base.rank());
  Shape shape = v.i.shape;
  for (size_t k = 0; k < kept.size(); ++k)
    shape.dims[k] = writer_.shape(value.id).dims[static_cast<size_t>(kept[k])];
  Instruction made = v.i;
  made.called = {{"to_apply", writer_.reducer(op, v.i.shape.type)}};
  InstructionId id = like(made, shape, {value.id, neutral});
  {
    Resharder::Because because(resharder_, "reduce: parts of the reduced dimensions are combined",
                               here_->at(v.i.operands[0]).name);
    const int64_t first = writer_.count();
    Tiling rest = value.tiling;
    for (size_t k = v.i.dimensions.size(); k-- > 0;) {
      const auto d = static_cast<size_t>(v.i.dimensions[k]);
      const int64_t ratio = value.tiling.counts[d];
      if (ratio > 1)
        id = writer_.all_reduce(id, scope(), members_along(rest, d, ratio),
                                writer_.reducer(op, v.i.shape.type));
      rest = coarsened(rest, d, ratio);
    }
    resharder_.note(first, spmd_sharding_text(value.tiling.sharding(), writer_.dialect()),
                    spmd_sharding_text(value.tiling.merged(v.i.dimensions).sharding(), writer_.dialect()));
  }
  if (!is_literal(*here_, v.i.operands[1], *identity)) {
    const InstructionId init = writer_.broadcast(whole(v, 1).id, shape.dims, {});
    id = writer_.op(op, shape, {id, init});
  }
  return ShardedLeaves{{id, v.i.shape, value.tiling.mapped(kept)}};
}

// Reducers that we do not know, and reductions of several arrays: every device reduces what it has, the
// results are gathered and reduced again. HLO allows initial values that count any number of times alone.
Result<ShardedLeaves> SpmdVisitor::reduce_in_parts(const Visit& v) {
  const size_t arrays = v.i.operands.size() / 2;
  const Tiling at = operand(v, 0).tiling;
  const Tiling whole_dims = at.merged(v.i.dimensions);
  const std::vector<int64_t> kept = kept_dims(v.i.dimensions, at.rank());
  const Tiling to = whole_dims.mapped(kept);
  std::vector<InstructionId> operands, inits;
  for (size_t k = 0; k < arrays; ++k) inits.push_back(whole(v, arrays + k).id);
  for (size_t k = 0; k < arrays; ++k)
    operands.push_back(resharder_.masked(scope(), operand_as(v, k, at), v.i.dimensions, inits[k]).id);
  operands.insert(operands.end(), inits.begin(), inits.end());
  Instruction made = v.i;
  for (CalledComputation& c : made.called) {
    TRY(c.computation, called(source_.computation(c.computation), {}, {}));
  }
  std::vector<int64_t> dims;
  for (const int64_t d : kept) dims.push_back(writer_.shape(operands[0]).dims[static_cast<size_t>(d)]);
  const Shape shape = with_dims(v.i.shape, dims);
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), to);
  InstructionId id = like(made, shape, operands);
  ShardedLeaves parts = leaves_from(id, v.i.shape, tilings);
  const DeviceGroups members = members_below(at, whole_dims);
  if (members.size() == 1) return parts;
  Resharder::Because because(resharder_, "reduce: parts of the reduced dimensions are gathered",
                             here_->at(v.i.operands[0]).name);
  const int64_t first = writer_.count();
  dims.insert(dims.begin(), 1);
  for (size_t k = 0; k < arrays; ++k)
    operands[k] = writer_.all_gather(writer_.reshape(parts[k].id, dims), scope(), members, 0);
  resharder_.note(first, spmd_sharding_text(at.sharding(), writer_.dialect()),
                  spmd_sharding_text(whole_dims.sharding(), writer_.dialect()));
  made.dimensions = {0};
  id = like(made, shape, operands);
  return leaves_from(id, v.i.shape, tilings);
}

// Elements move along the sorted dimension, so every device needs all of it: its cut goes to another
// dimension that it divides, else it is gathered.
Result<ShardedLeaves> SpmdVisitor::sort(const Visit& v) {
  const auto along = static_cast<size_t>(v.i.dimensions[0]);
  const std::vector<int64_t>& base = operand(v, 0).base.dims;
  Tiling at = v.out();
  const int64_t ratio = at.counts[along];
  for (size_t d = 0; d < at.rank() && at.counts[along] > 1; ++d) {
    if (d != along && base[d] % (at.counts[d] * ratio) == 0) at = cut_moved(at, along, d, ratio);
  }
  at = at.merged(v.i.dimensions);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k) operands.push_back(operand_as(v, k, at).id);
  Instruction made = v.i;
  for (CalledComputation& c : made.called) {
    TRY(c.computation, called(source_.computation(c.computation), {}, {}));
  }
  std::vector<Shape> tiles = leaves_of(v.i.shape);
  for (Shape& tile : tiles) tile.dims = tile_dims(at, tile.dims);
  const size_t arrays = tiles.size();
  const Shape shape = v.i.shape.is_tuple ? Shape::tuple(std::move(tiles)) : tiles.front();
  const InstructionId id = like(made, shape, operands);
  return leaves_from(id, v.i.shape, std::vector<Tiling>(arrays, at));
}

// Rows by themselves.
Result<ShardedLeaves> SpmdVisitor::top_k(const Visit& v) {
  const size_t rank = operand(v, 0).base.rank();
  if (rank == 0) return replicated(v);
  const Tiling at = operand(v, 0).tiling.merged({static_cast<int64_t>(rank) - 1});
  Shape shape = v.i.shape;
  for (Shape& element : shape.elements) element.dims = tile_dims(at, element.dims);
  const InstructionId id = like(v.i, shape, {operand_as(v, 0, at).id});
  return leaves_from(id, v.i.shape, std::vector<Tiling>(leaf_count(v.i.shape), at));
}

}  // namespace shardscope
