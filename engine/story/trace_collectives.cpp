// SPDX-License-Identifier: Apache-2.0
// Where the pieces are after a collective.
#include <algorithm>

#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"
#include "engine/story/trace_rules.h"

namespace shardscope {
namespace {

using Values = std::vector<ShardValue>;
using Group = std::vector<DeviceId>;

size_t place(DeviceId device) {
  return static_cast<size_t>(device.value);
}

ShardValue sum(TraceState& state, const Instruction& i, const Group& group) {
  if (reducer_opcode(state.program, i) != Opcode::add) return state.unknown;
  ShardPieces total = *state.operand(i, 0, static_cast<size_t>(group[0].value));
  for (size_t m = 1; m < group.size(); ++m)
    total = add_pieces(total, *state.operand(i, 0, static_cast<size_t>(group[m].value)), state.sets);
  return shared_pieces(std::move(total));
}

// Slice `member` of every member, in the group's order.
ShardValue exchanged(const TraceState& state, const Instruction& i, const Group& group, size_t member) {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  const int64_t size = i.shape.dims[along] / static_cast<int64_t>(group.size());
  IndexBox box = whole_box(i.shape.dims);
  box[along] = {static_cast<int64_t>(member) * size, static_cast<int64_t>(member + 1) * size};
  ShardPieces out;
  for (size_t m = 0; m < group.size(); ++m) {
    const ShardValue part = window_of(*state.operand(i, 0, static_cast<size_t>(group[m].value)), box);
    for (ShardPiece piece : *part) {
      move_by(piece, along, static_cast<int64_t>(m) * size);
      out.push_back(std::move(piece));
    }
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

ShardValue gathered(const TraceState& state, const Instruction& i, const Group& group) {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  const int64_t size = state.shape_of(i, 0).dims[along];
  ShardPieces out;
  for (size_t m = 0; m < group.size(); ++m) {
    for (ShardPiece piece : *state.operand(i, 0, static_cast<size_t>(group[m].value))) {
      move_by(piece, along, static_cast<int64_t>(m) * size);
      out.push_back(std::move(piece));
    }
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

void permute(TraceState& state, const Instruction& i, Values& values) {
  const ShardValue nothing = shared_pieces({zero_piece(i.shape.dims)});
  for (size_t d = 0; d < values.size(); ++d) {
    const DeviceId source = i.permutation->source_of(DeviceId(static_cast<int64_t>(d)));
    values[d] = source.valid() ? state.operand(i, 0, place(source)) : nothing;
  }
}

void all_gather(TraceState& state, const Instruction& i, Values& values) {
  for (const Group& group : device_groups(state.program, i)) {
    const ShardValue whole = gathered(state, i, group);
    for (const DeviceId d : group) values[place(d)] = whole;
  }
}

void all_reduce(TraceState& state, const Instruction& i, Values& values) {
  const ShardValue nothing = shared_pieces({zero_piece(i.shape.dims)});
  for (const Group& group : device_groups(state.program, i)) {
    const ShardValue total = sum(state, i, group);
    for (const DeviceId d : group) values[place(d)] = i.rooted && d != group[0] ? nothing : total;
  }
}

void reduce_scatter(TraceState& state, const Instruction& i, Values& values) {
  for (const Group& group : device_groups(state.program, i)) {
    const ShardValue total = sum(state, i, group);
    for (size_t m = 0; m < group.size(); ++m) {
      IndexBox box = whole_box(i.shape.dims);
      IndexRange& range = box[static_cast<size_t>(i.dimensions[0])];
      const int64_t start = range.stop * static_cast<int64_t>(m);
      range = {start, start + range.stop};
      values[place(group[m])] = window_of(*total, box);
    }
  }
}

void all_to_all(TraceState& state, const Instruction& i, Values& values) {
  if (i.dimensions.size() != 1) return;
  for (const Group& group : device_groups(state.program, i))
    for (size_t m = 0; m < group.size(); ++m) values[place(group[m])] = exchanged(state, i, group, m);
}

void collective_broadcast(TraceState& state, const Instruction& i, Values& values) {
  for (const Group& group : device_groups(state.program, i))
    for (const DeviceId d : group) values[place(d)] = state.operand(i, 0, place(group[0]));
}

}  // namespace

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

}  // namespace shardscope
