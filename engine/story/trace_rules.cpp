// SPDX-License-Identifier: Apache-2.0
#include "engine/story/trace_rules.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/ir/scalar.h"
#include "engine/story/trace_hole.h"

namespace shardscope {
namespace {

IndexBox box_at(const std::vector<int64_t>& starts, const std::vector<int64_t>& sizes) {
  IndexBox box;
  for (size_t d = 0; d < sizes.size(); ++d) box.push_back({starts[d], starts[d] + sizes[d]});
  return box;
}

ShardValue parameter(TraceState& state, const Instruction& i, size_t device) {
  const auto number = static_cast<size_t>(i.parameter_number);
  if (number >= state.program.inputs.size()) return state.unknown;
  const ArrayInfo& info = state.program.inputs[number];
  auto sharding = NamedSharding::make(state.program.mesh, info.spec, info.unreduced);
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return state.unknown;
  if (!is_home(state.program.mesh, info, DeviceId(static_cast<int64_t>(device))))
    return shared_pieces({zero_piece(i.shape.dims)});
  return shared_pieces(
      {input_piece(info.role, sharding->slices(DeviceId(static_cast<int64_t>(device)), info.dims))});
}

ShardValue constant(TraceState& state, const Instruction& i, size_t device) {
  if (device > 0) return state.values.back()[0];
  const auto number = parse_double(i.literal);
  return number && *number == 0 ? shared_pieces({zero_piece(i.shape.dims)}) : state.unknown;
}

ShardValue same(TraceState& state, const Instruction& i, size_t device) {
  return state.operand(i, 0, device);
}

ShardValue tuple_element(TraceState& state, const Instruction& i, size_t device) {
  const Instruction& tuple = state.entry.at(i.operands[0]);
  if (tuple.opcode != Opcode::tuple) return state.unknown;
  return state.operand(tuple, static_cast<size_t>(i.tuple_index), device);
}

// A tuple's elements are looked up where they are taken out of it.
ShardValue nothing_of_its_own(TraceState& state, const Instruction&, size_t) {
  return state.unknown;
}

// Of zeros alone.
ShardValue broadcast(TraceState& state, const Instruction& i, size_t device) {
  const ShardPieces& from = *state.operand(i, 0, device);
  const bool zeros = from.size() == 1 && from[0].kind == ShardPiece::Kind::zero &&
                     local_box(from[0]) == whole_box(state.shape_of(i, 0).dims);
  if (!zeros) return state.unknown;
  return device > 0 ? state.values.back()[0] : shared_pieces({zero_piece(i.shape.dims)});
}

ShardValue reshape(TraceState& state, const Instruction& i, size_t device) {
  return shared_pieces(reshape_pieces(*state.operand(i, 0, device), state.shape_of(i, 0).dims, i.shape.dims));
}

ShardValue bitcast(TraceState& state, const Instruction& i, size_t device) {
  const Shape& from = state.shape_of(i, 0);
  const bool reshapes = i.shape.type == from.type && i.shape.element_count() == from.element_count();
  return reshapes ? reshape(state, i, device) : state.unknown;
}

ShardValue slice(TraceState& state, const Instruction& i, size_t device) {
  IndexBox box;
  for (const SliceDim& dim : i.slice) {
    if (dim.stride != 1) return state.unknown;
    box.push_back({dim.start, dim.limit});
  }
  return window_of(*state.operand(i, 0, device), box);
}

// Where a dynamic slice of `size` starts, clamped; none when it depends on data.
std::optional<std::vector<int64_t>> starts(const TraceState& state, const Instruction& i, size_t first,
                                           const std::vector<int64_t>& size, size_t device) {
  std::vector<int64_t> out;
  for (size_t d = 0; d < size.size(); ++d) {
    const auto start = state.scalar(i.operands[first + d], device);
    if (!start) return std::nullopt;
    out.push_back(std::clamp<int64_t>(*start, 0, state.shape_of(i, 0).dims[d] - size[d]));
  }
  return out;
}

ShardValue dynamic_slice(TraceState& state, const Instruction& i, size_t device) {
  const auto start = starts(state, i, 1, i.dynamic_slice_sizes, device);
  return start ? window_of(*state.operand(i, 0, device), box_at(*start, i.dynamic_slice_sizes))
               : state.unknown;
}

ShardValue dynamic_update_slice(TraceState& state, const Instruction& i, size_t device) {
  const std::vector<int64_t>& size = state.shape_of(i, 1).dims;
  const auto start = starts(state, i, 2, size, device);
  if (!start) return state.unknown;
  const IndexBox box = box_at(*start, size);
  ShardPieces out;
  for (const ShardPiece& piece : *state.operand(i, 0, device)) append_outside(piece, box, out);
  for (ShardPiece piece : *state.operand(i, 1, device)) {
    for (size_t d = 0; d < box.size(); ++d) move_by(piece, d, box[d].start);
    out.push_back(std::move(piece));
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

ShardValue concatenate(TraceState& state, const Instruction& i, size_t device) {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  ShardPieces out;
  int64_t start = 0;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    for (ShardPiece piece : *state.operand(i, k, device)) {
      move_by(piece, along, start);
      out.push_back(std::move(piece));
    }
    start += state.shape_of(i, k).dims[along];
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

ShardValue transpose(TraceState& state, const Instruction& i, size_t device) {
  ShardPieces out = *state.operand(i, 0, device);
  for (ShardPiece& piece : out) {
    std::vector<PieceDim> dims;
    for (const int64_t d : i.dimensions) dims.push_back(piece.dims[static_cast<size_t>(d)]);
    piece.dims = std::move(dims);
  }
  return shared_pieces(std::move(out));
}

// A scalar predicate chooses for each device; broadcast predicates count when their scalar does.
ShardValue select(TraceState& state, const Instruction& i, size_t device) {
  const Instruction& predicate = state.entry.at(i.operands[0]);
  const bool spread = predicate.opcode == Opcode::broadcast;
  const auto chosen = state.scalar(spread ? predicate.operands[0] : i.operands[0], device);
  if (!chosen) return state.unknown;
  return state.operand(i, *chosen != 0 ? 1 : 2, device);
}

ShardValue add(TraceState& state, const Instruction& i, size_t device) {
  return shared_pieces(add_pieces(*state.operand(i, 0, device), *state.operand(i, 1, device), state.sets));
}

ShardValue dot(TraceState& state, const Instruction& i, size_t device) {
  return shared_pieces(multiply_pieces(*state.operand(i, 0, device), *state.operand(i, 1, device), i,
                                       state.orientation, state.sets));
}

}  // namespace

ShardValue shared_pieces(ShardPieces pieces) {
  return std::make_shared<const ShardPieces>(std::move(pieces));
}

IndexBox whole_box(const std::vector<int64_t>& dims) {
  IndexBox box;
  for (const int64_t size : dims) box.push_back({0, size});
  return box;
}

ShardValue window_of(const ShardPieces& value, const IndexBox& box) {
  ShardPieces inside;
  for (const ShardPiece& piece : value) append_inside(piece, box, inside);
  for (ShardPiece& piece : inside)
    for (size_t d = 0; d < box.size(); ++d) move_by(piece, d, -box[d].start);
  return shared_pieces(std::move(inside));
}

TraceState::TraceState(const Program& traced)
    : program(traced),
      entry(traced.entry_computation()),
      devices(static_cast<size_t>(traced.mesh.device_count())),
      unknown(shared_pieces({})) {
  for (const ArrayInfo& info : program.inputs) {
    if (info.role == ArrayRole::lhs) orientation.lhs_contracting = info.transposed ? 0 : 1;
    if (info.role == ArrayRole::rhs) orientation.rhs_contracting = info.transposed ? 1 : 0;
  }
  for (size_t d = 0; d < devices; ++d)
    scalars.push_back(evaluate_scalars(entry, DeviceId(static_cast<int64_t>(d))));
  values.reserve(entry.instructions.size());
}

LocalTraceRule local_trace_rule(Opcode opcode) {
  static const OpTable<LocalTraceRule> rules({}, {{Opcode::parameter, &parameter},
                                                  {Opcode::constant, &constant},
                                                  {Opcode::tuple, &nothing_of_its_own},
                                                  {Opcode::get_tuple_element, &tuple_element},
                                                  {Opcode::copy, &same},
                                                  {Opcode::convert, &same},
                                                  {Opcode::reduce_precision, &same},
                                                  {Opcode::optimization_barrier, &same},
                                                  {Opcode::broadcast, &broadcast},
                                                  {Opcode::bitcast, &bitcast},
                                                  {Opcode::reshape, &reshape},
                                                  {Opcode::transpose, &transpose},
                                                  {Opcode::slice, &slice},
                                                  {Opcode::dynamic_slice, &dynamic_slice},
                                                  {Opcode::dynamic_update_slice, &dynamic_update_slice},
                                                  {Opcode::concatenate, &concatenate},
                                                  {Opcode::select, &select},
                                                  {Opcode::add, &add},
                                                  {Opcode::dot, &dot}});
  return rules[opcode];
}

std::string trace_hole(Opcode opcode) {
  if (local_trace_rule(opcode) != nullptr || collective_trace_rule(opcode) != nullptr) return "";
  const Operation& o = operation(opcode);
  if (o.cost == CostClass::called) return "what it calls is followed where it is written out";
  if (o.kind == OpClass::source) return "holds nothing of the inputs";
  return "its result is no piece of the inputs or of their product";
}

}  // namespace shardscope
