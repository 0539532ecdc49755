// SPDX-License-Identifier: Apache-2.0
// Reductions, loops and branches.
#include <algorithm>
#include <optional>

#include "engine/partition/spmd_prepare.h"
#include "engine/partition/spmd_visitor.h"
#include "engine/partition/tiling_moves.h"
#include "engine/program/analysis.h"

namespace shardscope {
namespace {

// What changes nothing under `opcode`; none when there is no such literal.
std::optional<std::string> identity_of(Opcode opcode, ElementType type) {
  const bool whole = is_integer(type), truth = type == ElementType::pred;
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
      return whole || truth ? std::nullopt : std::optional<std::string>("-inf");
    case Opcode::minimum:
      return whole || truth ? std::nullopt : std::optional<std::string>("inf");
    default:
      return std::nullopt;
  }
}

bool is_literal(const Computation& c, InstructionId id, const std::string& literal) {
  const Instruction& i = c.at(id);
  return i.opcode == Opcode::constant && (i.literal == literal || (literal == "0" && i.literal == "0.0"));
}

}  // namespace

Result<ShardedLeaves> SpmdVisitor::reduce(const Visit& v) {
  const int64_t devices = writer_.whole().size();
  const bool single = v.i.operands.size() == 2;
  const Opcode op = single ? reducer_opcode(source_, v.i) : Opcode::unknown;
  const auto identity = identity_of(op, v.i.shape.type);
  Sharded value = operand(v, 0);
  if (!identity || v.i.shape.is_tuple) {
    // Sums that cannot be taken in parts need their dimensions whole.
    std::vector<InstructionId> operands;
    const size_t arrays = v.i.operands.size() / 2;
    const Tiling at = value.tiling.merged(v.i.dimensions);
    for (size_t k = 0; k < v.i.operands.size(); ++k)
      operands.push_back(k < arrays ? operand_as(v, k, at).id : whole(v, k).id);
    std::vector<int64_t> kept;
    for (size_t d = 0; d < value.base.rank(); ++d)
      if (std::ranges::count(v.i.dimensions, static_cast<int64_t>(d)) == 0)
        kept.push_back(static_cast<int64_t>(d));
    const Tiling to = at.mapped(kept);
    Instruction made = v.i;
    for (CalledComputation& c : made.called) {
      TRY(c.computation, called(source_.computation(c.computation), {}, {}));
    }
    Shape shape = v.i.shape;
    for (Shape& element : shape.elements) element.dims = tile_dims(to, element.dims);
    if (!shape.is_tuple) shape.dims = tile_dims(to, shape.dims);
    const InstructionId id = like(made, shape, operands);
    return leaves_from(id, v.i.shape, std::vector<Tiling>(leaf_count(v.i.shape), to));
  }
  const InstructionId neutral = writer_.constant(v.i.shape.type, *identity);
  value = resharder_.masked(writer_.whole(), value, v.i.dimensions, neutral);
  std::vector<int64_t> kept;
  for (size_t d = 0; d < value.base.rank(); ++d)
    if (std::ranges::count(v.i.dimensions, static_cast<int64_t>(d)) == 0)
      kept.push_back(static_cast<int64_t>(d));
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
        id = writer_.all_reduce(id, writer_.whole(), members_along(rest, d, ratio),
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
  CHECK(devices >= 1);
  return ShardedLeaves{{id, v.i.shape, value.tiling.mapped(kept)}};
}

// Elements move along the sorted dimension, so every device needs all of it; the others may be cut.
Result<ShardedLeaves> SpmdVisitor::sort(const Visit& v) {
  const Tiling at = v.out().merged(v.i.dimensions);
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

// A computation of its own in the written program, on the same devices.
Result<ComputationId> SpmdVisitor::called(const Computation& computation,
                                          const std::vector<std::vector<Tiling>>& parameters,
                                          const std::vector<Tiling>& results) {
  const int64_t devices = writer_.whole().size();
  std::vector<std::vector<Tiling>> given = parameters;
  if (given.empty()) {
    for (const Instruction& i : computation.instructions) {
      if (i.opcode != Opcode::parameter) continue;
      given.resize(std::max(given.size(), static_cast<size_t>(i.parameter_number) + 1));
      for (const Shape& leaf : leaves_of(i.shape))
        given[static_cast<size_t>(i.parameter_number)].push_back(Tiling::replicated(leaf.rank(), devices));
    }
  }
  std::vector<Tiling> wanted = results;
  if (wanted.empty())
    for (const Shape& leaf : leaves_of(computation.root_instruction().shape))
      wanted.push_back(Tiling::replicated(leaf.rank(), devices));
  SpmdWriter::Page page = writer_.open_page();
  Resharder inner = resharder_.for_page();
  SpmdVisitor visitor(source_, options_, writer_, inner);
  const auto root = visitor.computation(computation, &given, &wanted);
  Computation made =
      writer_.close_page(std::move(page), computation.name, root.ok() ? *root : InstructionId(0));
  TRY_VOID(root);
  const ComputationId id = writer_.add_computation(std::move(made));
  resharder_.adopt(inner, id);
  return id;
}

Result<ShardedLeaves> SpmdVisitor::while_loop(const Visit& v) {
  const CalledComputation *condition = nullptr, *body = nullptr;
  for (const CalledComputation& c : v.i.called) (c.key == "condition" ? condition : body) = &c;
  if (condition == nullptr || body == nullptr)
    return invalid("a while needs a condition and a body", "instruction " + v.i.name);
  // The loop's state is kept as its result is wanted; what nobody annotated stays as it starts.
  const bool annotated = has_sharding(v.i);
  std::vector<Tiling> state = v.wanted;
  ShardedLeaves init;
  for (size_t k = 0; k < state.size(); ++k) {
    if (!annotated) state[k] = leaves(v, 0)[k].tiling;
    init.push_back(resharder_.to(writer_.whole(), leaves(v, 0)[k], state[k]));
  }
  Instruction made = v.i;
  made.called.clear();
  for (const CalledComputation* c : {condition, body}) {
    const bool decides = c == condition;
    TRY(const ComputationId id,
        called(source_.computation(c->computation), {state},
               decides ? std::vector<Tiling>{Tiling::replicated(0, writer_.whole().size())} : state));
    made.called.push_back({c->key, id});
  }
  size_t next = 0;
  const InstructionId start = tuple_of(init, v.i.shape, next);
  const InstructionId id = like(made, writer_.shape(start), {start});
  return leaves_from(id, v.i.shape, state);
}

Result<ShardedLeaves> SpmdVisitor::conditional(const Visit& v) {
  Instruction made = v.i;
  std::vector<InstructionId> operands{whole(v, 0).id};
  for (size_t k = 0; k < made.called.size(); ++k) {
    std::vector<Tiling> given;
    for (const Sharded& leaf : leaves(v, k + 1)) given.push_back(leaf.tiling);
    size_t next = 0;
    operands.push_back(tuple_of(leaves(v, k + 1), here_->at(v.i.operands[k + 1]).shape, next));
    TRY(made.called[k].computation,
        called(source_.computation(made.called[k].computation), {given}, v.wanted));
  }
  std::vector<Shape> shapes = leaves_of(v.i.shape);
  for (size_t k = 0; k < shapes.size(); ++k) shapes[k].dims = tile_dims(v.wanted[k], shapes[k].dims);
  size_t next = 0;
  const std::function<Shape(const Shape&)> tiled = [&](const Shape& shape) {
    if (!shape.is_tuple) return shapes[next++];
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements) elements.push_back(tiled(element));
    return Shape::tuple(std::move(elements));
  };
  const InstructionId id = like(made, tiled(v.i.shape), operands);
  return leaves_from(id, v.i.shape, v.wanted);
}

}  // namespace shardscope
