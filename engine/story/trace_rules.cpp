// SPDX-License-Identifier: Apache-2.0
#include "engine/story/trace_rules.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/ir/scalar.h"

namespace shardscope::inline story {
namespace {

// Of a module whose shardings are not known each device's parameter is an array of its own.
ShardValue local_value(TraceState& state, const Instruction& i, size_t device) {
  return shared_pieces(local_piece(i, static_cast<int32_t>(device), state.arrays));
}

// Of an input that is a sum over mesh axes: which of its terms a device has.
int64_t unreduced_term(const Mesh& mesh, const ArrayInfo& info, DeviceId device) {
  int64_t term = 0;
  for (const std::string& axis : info.unreduced) {
    const int place = *mesh.axis_index(axis);
    term = term * mesh.axis_size(place) + mesh.coordinate(device, place);
  }
  return term;
}

ShardValue parameter(TraceState& state, const Instruction& i, size_t device) {
  const auto number = static_cast<size_t>(i.parameter_number);
  if (number >= state.program.inputs.size()) return local_value(state, i, device);
  const ArrayInfo& info = state.program.inputs[number];
  const DeviceId id(static_cast<int64_t>(device));
  auto sharding = NamedSharding::make(state.program.mesh, info.spec, info.unreduced);
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return local_value(state, i, device);
  if (!is_home(state.program.mesh, info, id)) return shared_pieces({zero_piece(i.shape.dims)});
  ShardPiece piece = input_piece(state.inputs[number], sharding->slices(id, info.dims));
  if (!info.unreduced.empty())
    piece.k_set = state.sets.of_run({}, unreduced_term(state.program.mesh, info, id));
  return shared_pieces({std::move(piece)});
}

ShardValue constant(TraceState& state, const Instruction& i, size_t device) {
  if (device > 0) return state.values.back()[0];
  const auto number = parse_double(i.literal);
  const bool zero = number && *number == 0;
  return shared_pieces({zero ? zero_piece(i.shape.dims) : fill_piece(i.shape.dims)});
}

// What is made of no input.
ShardValue fill(TraceState&, const Instruction& i, size_t) {
  return shared_pieces({fill_piece(i.shape.dims)});
}

// Where the elements of a tuple are found by what makes it.
enum class ElementSource : uint8_t { unknown, its_operands, arrays_of_their_own, its_results };
ElementSource element_source(Opcode opcode) {
  static const OpTable<ElementSource> all({}, {{Opcode::tuple, ElementSource::its_operands},
                                               {Opcode::optimization_barrier, ElementSource::its_operands},
                                               {Opcode::parameter, ElementSource::arrays_of_their_own},
                                               {Opcode::fusion, ElementSource::its_results}});
  return collective_trace_rule(opcode) != nullptr ? ElementSource::its_results : all[opcode];
}

// Of the tuple that was made, through barriers; of a parameter its element is an array of its own.
ShardValue tuple_element(TraceState& state, const Instruction& i, size_t device) {
  InstructionId from = i.operands[0];
  while (state.entry.at(from).opcode == Opcode::optimization_barrier &&
         state.entry.at(from).operands.size() == 1)
    from = state.entry.at(from).operands[0];
  const Instruction& tuple = state.entry.at(from);
  const auto which = static_cast<size_t>(i.tuple_index);
  const ElementSource source = element_source(tuple.opcode);
  if (source == ElementSource::its_operands) return state.operand(tuple, which, device);
  if (source == ElementSource::arrays_of_their_own) return local_value(state, i, device);
  if (source == ElementSource::unknown) return state.unknown;
  if (which == 0) return state.values[static_cast<size_t>(from.value)][device];
  const auto further = state.further.find({from.value, which});
  return further == state.further.end() ? state.unknown : further->second[device];
}

// A tuple's elements are looked up where they are taken out of it.
ShardValue nothing_of_its_own(TraceState& state, const Instruction&, size_t) {
  return state.unknown;
}

// What it repeats, if it is a broadcast.
InstructionId behind_broadcast(const TraceState& state, InstructionId id) {
  const Instruction& i = state.entry.at(id);
  return i.opcode == Opcode::broadcast ? i.operands[0] : id;
}

// What tells an operand that is made of no input apart: the constant that it is, spread or not.
std::string fill_name(const TraceState& state, InstructionId id) {
  const Instruction& i = state.entry.at(behind_broadcast(state, id));
  return !i.literal.empty() && i.literal.size() < 64 ? *i.literal : i.name;
}

ShardValue elementwise(TraceState& state, const Instruction& i, size_t device) {
  std::vector<const ShardPieces*> operands;
  std::vector<std::string> fills;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (state.shape_of(i, k).dims != i.shape.dims) return local_result(state, i, device);  // clamp, select
    operands.push_back(state.operand(i, k, device).get());
    fills.push_back(fill_name(state, i.operands[k]));
  }
  return shared_pieces(elementwise_pieces({i, operands, fills, static_cast<int32_t>(device)}, state.sums()));
}

// A scalar predicate chooses for each device; broadcast predicates count when their scalar does.
ShardValue select(TraceState& state, const Instruction& i, size_t device) {
  const auto chosen = state.scalar(behind_broadcast(state, i.operands[0]), device);
  if (!chosen) return elementwise(state, i, device);
  return state.operand(i, *chosen != 0 ? 1 : 2, device);
}

// A start value that is the operation's own 0 or a constant adds no term.
ShardValue reduce(TraceState& state, const Instruction& i, size_t device) {
  if (i.operands.size() != 2 || i.shape.is_tuple) return state.unknown;
  const Opcode reducer = reducer_opcode(state.program, i);
  const ShardPieces& start = *state.operand(i, 1, device);
  if (!is_known(reducer) || start.empty() || start[0].kind == ShardPiece::Kind::part)
    return local_result(state, i, device);
  return shared_pieces(
      reduce_pieces({*state.operand(i, 0, device), state.shape_of(i, 0).dims}, i, reducer, state.sums()));
}

// Of each block its own product: they stack to an array of their own, and are not added up.
ShardValue block_product(TraceState& state, const Instruction& i, size_t device) {
  const ArrayInfo& info = *state.program.output;
  auto sharding = NamedSharding::make(state.program.mesh, info.spec, info.unreduced);
  for (size_t k = 0; k < i.operands.size(); ++k)
    if (!is_complete(*state.operand(i, k, device), state.shape_of(i, k).dims, state.sums()))
      return state.unknown;
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return local_value(state, i, device);
  int64_t terms = 1;
  for (const int64_t d : i.dot->lhs_contracting) terms *= state.shape_of(i, 0).dims[static_cast<size_t>(d)];
  const int array = state.arrays.find_or_add("blocks " + i.name, {symbol_of(info), info.dims, terms});
  ShardPiece piece = input_piece(array, sharding->slices(DeviceId(static_cast<int64_t>(device)), info.dims));
  piece.k_set = state.sets.of_run({{terms, 1}}, 0);
  return shared_pieces({std::move(piece)});
}

ShardValue dot(TraceState& state, const Instruction& i, size_t device) {
  if (state.program.output && state.program.output->role == ArrayRole::block_gram &&
      &i == &state.entry.root_instruction())
    return block_product(state, i, device);
  return shared_pieces(multiply_pieces({*state.operand(i, 0, device), state.shape_of(i, 0).dims},
                                       {*state.operand(i, 1, device), state.shape_of(i, 1).dims}, i,
                                       state.sums()));
}

// Y = X W is known beforehand: shards of one column or row do not show along what they are multiplied.
void add_product(TraceState& state) {
  int sides[2] = {-1, -1};
  for (size_t k = 0; k < state.inputs.size(); ++k) {
    const ArrayInfo& info = state.program.inputs[k];
    if (info.dims.size() != 2) continue;
    if (info.role == ArrayRole::lhs) sides[0] = static_cast<int>(k);
    if (info.role == ArrayRole::rhs) sides[1] = static_cast<int>(k);
  }
  if (sides[0] < 0 || sides[1] < 0) return;
  const auto summed = [&](int side) {
    const bool transposed = state.program.inputs[static_cast<size_t>(side)].transposed;
    return side == sides[0] ? (transposed ? 0 : 1) : (transposed ? 1 : 0);
  };
  const int first = std::min(sides[0], sides[1]);
  const int second = std::max(sides[0], sides[1]);
  Contraction c{state.inputs[static_cast<size_t>(first)],
                state.inputs[static_cast<size_t>(second)],
                std::vector<DimUse>(2, DimUse::free),
                std::vector<DimUse>(2, DimUse::free),
                {summed(first)},
                {summed(second)},
                0};
  c.first_use[static_cast<size_t>(summed(first))] = DimUse::contracted;
  c.second_use[static_cast<size_t>(summed(second))] = DimUse::contracted;
  const TracedArray& x = state.arrays.at(c.first);
  const TracedArray& w = state.arrays.at(c.second);
  if (x.dims[static_cast<size_t>(summed(first))] == w.dims[static_cast<size_t>(summed(second))])
    state.arrays.add_contraction(std::move(c), "Y");
}

}  // namespace

ShardValue local_result(TraceState& state, const Instruction& i, size_t device) {
  for (size_t k = 0; k < i.operands.size(); ++k) {
    const Shape& shape = state.shape_of(i, k);
    if (shape.is_tuple || !is_complete(*state.operand(i, k, device), shape.dims, state.sums()))
      return state.unknown;
  }
  return local_value(state, i, device);
}

ShardValue same(TraceState& state, const Instruction& i, size_t device) {
  return state.operand(i, 0, device);
}

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

TraceState::TraceState(const Program& traced, std::stop_token stop)
    : program(traced),
      entry(traced.entry_computation()),
      devices(static_cast<size_t>(traced.mesh.device_count())),
      unknown(shared_pieces({})),
      budget(std::move(stop)) {
  for (const ArrayInfo& info : program.inputs) {
    TracedArray array{symbol_of(info), info.dims};
    if (!info.unreduced.empty()) array.terms = 1;
    for (const std::string& axis : info.unreduced)
      array.terms *= program.mesh.axis_size(*program.mesh.axis_index(axis));
    inputs.push_back(arrays.add(std::move(array)));
  }
  add_product(*this);
  for (size_t d = 0; d < devices; ++d)
    scalars.push_back(evaluate_scalars(entry, DeviceId(static_cast<int64_t>(d))));
  values.reserve(entry.instructions.size());
}

TraceState::TraceState(TraceState& outer, const Computation& fused, const Instruction& fusion)
    : program(outer.program),
      entry(fused),
      devices(outer.devices),
      unknown(outer.unknown),
      arrays(std::move(outer.arrays)),
      inputs(outer.inputs),
      sets(std::move(outer.sets)),
      budget(std::move(outer.budget)) {
  std::vector<std::optional<int64_t>> arguments(fusion.operands.size());
  for (size_t d = 0; d < devices; ++d) {
    for (size_t k = 0; k < arguments.size(); ++k) arguments[k] = outer.scalar(fusion.operands[k], d);
    scalars.push_back(evaluate_scalars(entry, DeviceId(static_cast<int64_t>(d)), arguments));
  }
  values.reserve(entry.instructions.size());
}

void TraceState::take_back(TraceState inner) {
  arrays = std::move(inner.arrays);
  sets = std::move(inner.sets);
  budget = std::move(inner.budget);
}

LocalTraceRule local_trace_rule(Opcode opcode) {
  static const OpTable<LocalTraceRule> rules({{OpClass::elementwise, &elementwise},
                                              {OpClass::product, &local_result},
                                              {OpClass::reduction, &local_result},
                                              {OpClass::transform, &local_result}},
                                             {{Opcode::parameter, &parameter},
                                              {Opcode::constant, &constant},
                                              {Opcode::iota, &fill},
                                              {Opcode::partition_id, &fill},
                                              {Opcode::replica_id, &fill},
                                              {Opcode::rng_bit_generator, &fill},
                                              {Opcode::tuple, &nothing_of_its_own},
                                              {Opcode::get_tuple_element, &tuple_element},
                                              {Opcode::copy, &same},
                                              {Opcode::optimization_barrier, &same},
                                              {Opcode::select, &select},
                                              {Opcode::sort, &local_result},
                                              {Opcode::reduce, &reduce},
                                              {Opcode::dot, &dot}});
  const LocalTraceRule moved = movement_trace_rule(opcode);
  return rules[opcode] != nullptr ? rules[opcode] : moved;
}

std::string trace_hole(Opcode opcode) {
  if (local_trace_rule(opcode) != nullptr || collective_trace_rule(opcode) != nullptr) return "";
  const Operation& o = operation(opcode);
  if (o.cost == CostClass::called) return "what it calls is followed where it is written out";
  if (o.kind == OpClass::source) return "holds nothing of the inputs";
  return "its result is not a piece of the inputs or of their product";
}

}  // namespace shardscope::inline story
