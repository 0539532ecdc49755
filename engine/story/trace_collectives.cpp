// SPDX-License-Identifier: Apache-2.0
// Where the pieces are after a collective.
#include <algorithm>

#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"
#include "engine/story/trace_rules.h"

namespace shardscope::inline story {
namespace {

using Values = std::vector<ShardValue>;
using Group = std::vector<DeviceId>;

size_t place(DeviceId device) {
  return static_cast<size_t>(device.value);
}

ShardValue sum(TraceState& state, const Instruction& i, size_t which, const Group& group) {
  if (group.size() == 1) return state.operand(i, which, place(group[0]));
  const std::vector<ShardValue> parts = contributions(state, i, which, group);
  if (parts.empty()) return state.unknown;
  ShardPieces total = *parts[0];
  for (size_t m = 1; m < parts.size(); ++m) total = add_pieces(total, *parts[m], state.sums());
  return shared_pieces(std::move(total));
}

// Slice `member` of every member, in the group's order.
ShardValue exchanged(const TraceState& state, const Instruction& i, size_t which, const Group& group,
                     size_t member) {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  const std::vector<int64_t>& dims = state.shape_of(i, which).dims;
  const int64_t size = dims[along] / static_cast<int64_t>(group.size());
  IndexBox box = whole_box(dims);
  box[along] = {static_cast<int64_t>(member) * size, static_cast<int64_t>(member + 1) * size};
  ShardPieces out;
  for (size_t m = 0; m < group.size(); ++m) {
    const ShardValue part = window_of(*state.operand(i, which, static_cast<size_t>(group[m].value)), box);
    for (ShardPiece piece : *part) {
      move_by(piece, along, static_cast<int64_t>(m) * size);
      out.push_back(std::move(piece));
    }
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

ShardValue gathered(const TraceState& state, const Instruction& i, size_t which, const Group& group) {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  const int64_t size = state.shape_of(i, which).dims[along];
  ShardPieces out;
  for (size_t m = 0; m < group.size(); ++m) {
    for (ShardPiece piece : *state.operand(i, which, static_cast<size_t>(group[m].value))) {
      move_by(piece, along, static_cast<int64_t>(m) * size);
      out.push_back(std::move(piece));
    }
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

void permute(TraceState& state, const Instruction& i, size_t which, Values& values) {
  const ShardValue nothing = shared_pieces({zero_piece(state.shape_of(i, which).dims)});
  for (size_t d = 0; d < values.size(); ++d) {
    const DeviceId source = i.permutation->source_of(DeviceId(static_cast<int64_t>(d)));
    values[d] = source.valid() ? state.operand(i, which, place(source)) : nothing;
  }
}

void all_gather(TraceState& state, const Instruction& i, size_t which, Values& values) {
  for (const Group& group : device_groups(state.program, i)) {
    const ShardValue whole = gathered(state, i, which, group);
    for (const DeviceId d : group) values[place(d)] = whole;
  }
}

void all_reduce(TraceState& state, const Instruction& i, size_t which, Values& values) {
  const ShardValue nothing = shared_pieces({zero_piece(state.shape_of(i, which).dims)});
  for (const Group& group : device_groups(state.program, i)) {
    const ShardValue total = sum(state, i, which, group);
    for (const DeviceId d : group) values[place(d)] = i.rooted && d != group[0] ? nothing : total;
  }
}

void reduce_scatter(TraceState& state, const Instruction& i, size_t which, Values& values) {
  for (const Group& group : device_groups(state.program, i)) {
    const ShardValue total = sum(state, i, which, group);
    for (size_t m = 0; m < group.size(); ++m) {
      IndexBox box = whole_box(state.shape_of(i, which).dims);
      IndexRange& range = box[static_cast<size_t>(i.dimensions[0])];
      const int64_t size = range.stop / static_cast<int64_t>(group.size());
      range = {static_cast<int64_t>(m) * size, static_cast<int64_t>(m + 1) * size};
      values[place(group[m])] = window_of(*total, box);
    }
  }
}

void all_to_all(TraceState& state, const Instruction& i, size_t which, Values& values) {
  if (i.dimensions.size() != 1) return;
  for (const Group& group : device_groups(state.program, i))
    for (size_t m = 0; m < group.size(); ++m) values[place(group[m])] = exchanged(state, i, which, group, m);
}

void collective_broadcast(TraceState& state, const Instruction& i, size_t which, Values& values) {
  for (const Group& group : device_groups(state.program, i))
    for (const DeviceId d : group) values[place(d)] = state.operand(i, which, place(group[0]));
}

bool is_zero(const ShardPieces& pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const ShardPiece& piece) { return piece.kind == ShardPiece::Kind::zero; });
}

// Parts of one sum in the making; or no more than one member brings anything.
bool are_parts(TraceState& state, const std::vector<ShardValue>& values, Opcode reducer) {
  size_t bring = 0;
  bool parts = true;
  for (const ShardValue& value : values) {
    bring += is_zero(*value) ? 0 : 1;
    for (const ShardPiece& piece : *value) {
      if (piece.kind == ShardPiece::Kind::zero) continue;
      parts = parts && piece.kind == ShardPiece::Kind::part && !state.arrays.complete(piece, state.sets) &&
              state.arrays.at(piece.array).reducer == reducer;
    }
  }
  return parts || (reducer == Opcode::add && bring <= 1);
}

// The same elements of a sum, complete, from two members.
bool brings_one_sum_twice(const std::vector<ShardValue>& values) {
  for (size_t m = 1; m < values.size(); ++m)
    for (const ShardPiece& piece : *values[m])
      if (piece.k_set >= 0 && std::find(values[0]->begin(), values[0]->end(), piece) != values[0]->end())
        return true;
  return false;
}

}  // namespace

std::vector<ShardValue> contributions(TraceState& state, const Instruction& i, size_t which,
                                      const Group& group) {
  const Opcode reducer = reducer_opcode(state.program, i);
  if (!is_known(reducer)) return {};
  std::vector<ShardValue> values;
  for (const DeviceId d : group) values.push_back(state.operand(i, which, place(d)));
  if (are_parts(state, values, reducer)) return values;
  const std::vector<int64_t>& dims = state.shape_of(i, which).dims;
  for (const ShardValue& value : values)
    if (!is_complete(*value, dims, state.sums())) return {};
  if (brings_one_sum_twice(values)) state.note_added_twice();
  TracedArray array{value_name(i), dims, static_cast<int64_t>(group.size()), reducer, -1};
  const bool one_group = static_cast<int64_t>(group.size()) == static_cast<int64_t>(state.devices);
  if (!one_group) array.device = static_cast<int32_t>(group[0].value);
  const int number = state.arrays.find_or_add(
      "sum " + i.name + " " + std::to_string(which) + " " + std::to_string(group[0].value), array);
  for (size_t m = 0; m < group.size(); ++m) {
    ShardPiece piece = input_piece(number, whole_box(dims));
    piece.k_set = state.sets.of_run({}, static_cast<int64_t>(m));
    values[m] = shared_pieces({std::move(piece)});
  }
  return values;
}

CollectiveTraceRule collective_trace_rule(Opcode opcode) {
  static const OpTable<CollectiveTraceRule> rules({},
                                                  {{Opcode::collective_permute, &permute},
                                                   {Opcode::all_gather, &all_gather},
                                                   {Opcode::all_reduce, &all_reduce},
                                                   {Opcode::reduce_scatter, &reduce_scatter},
                                                   {Opcode::all_to_all, &all_to_all},
                                                   {Opcode::collective_broadcast, &collective_broadcast}});
  return rules[opcode];
}

}  // namespace shardscope::inline story
