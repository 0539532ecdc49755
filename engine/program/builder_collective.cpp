// SPDX-License-Identifier: Apache-2.0
// What devices do with each other: collectives along one axis of the mesh.
#include "engine/program/builder_state.h"

namespace shardscope {
namespace {

Instruction along_groups(Opcode opcode, Shape shape, InstructionId operand, const ReplicaGroups& groups,
                         int64_t channel) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = {operand};
  instruction.replica_groups = groups;
  instruction.channel_id = channel;
  // With a channel, XLA reads the groups as partitions only when told so.
  instruction.verbatim = {{"use_global_device_ids", "true"}};
  return instruction;
}

}  // namespace

// add(x, y) of `type`, the to_apply of reductions.
ComputationId SpmdBuilder::State::reducer(ElementType type) {
  const std::string reducer_name = std::string("add_") + name(type);
  for (size_t i = 0; i < reducers.size(); ++i) {
    if (reducers[i].name == reducer_name) return ComputationId(static_cast<int64_t>(i));
  }
  Computation computation;
  computation.name = reducer_name;
  for (const char* operand : {"x", "y"}) {
    Instruction parameter;
    parameter.name = reducer_name + "." + operand;
    parameter.opcode = Opcode::parameter;
    parameter.parameter_number = static_cast<int64_t>(computation.instructions.size());
    parameter.shape = Shape::scalar(type);
    computation.instructions.push_back(std::move(parameter));
  }
  Instruction sum;
  sum.name = reducer_name + ".sum";
  sum.opcode = Opcode::add;
  sum.shape = Shape::scalar(type);
  sum.operands = {InstructionId(0), InstructionId(1)};
  computation.instructions.push_back(std::move(sum));
  computation.root = InstructionId(2);
  reducers.push_back(std::move(computation));
  return ComputationId(static_cast<int64_t>(reducers.size()) - 1);
}

const ReplicaGroups& SpmdBuilder::State::groups_of(int axis_position) {
  const auto [place, is_new] = groups.try_emplace(axis_position);
  if (is_new) {
    TileAssignment& tiles = place->second.tiles;
    const int64_t size = mesh.axis_size(axis_position);
    tiles.dims = {mesh.device_count() / size, size};
    for (int64_t d = 0; d < mesh.device_count(); ++d) {
      if (mesh.coordinate(DeviceId(d), axis_position) != 0) continue;
      for (int64_t i = 0; i < size; ++i) tiles.devices.push_back(d + i * mesh.stride(axis_position));
    }
  }
  return place->second;
}

std::shared_ptr<const Permutation> SpmdBuilder::State::shift_of(int axis_position, int64_t distance) {
  auto& permutation = shifts[{axis_position, distance}];
  if (!permutation) {
    permutation = std::make_shared<const Permutation>(Permutation::shift(mesh, axis_position, distance));
  }
  return permutation;
}

Value SpmdBuilder::all_gather(Value v, std::string_view role, size_t dim) {
  if (!ok() || size(role) == 1) return v;
  Shape shape = shape_of(v);
  shape.dims[dim] *= size(role);
  Instruction instruction = along_groups(Opcode::all_gather, std::move(shape), v.id_,
                                         state_->groups_of(*state_->axis(role)), state_->next_channel++);
  instruction.dimensions = {static_cast<int64_t>(dim)};
  return emit(std::move(instruction));
}

Value SpmdBuilder::reduce_scatter(Value v, std::string_view role, size_t dim) {
  if (!ok() || size(role) == 1) return v;
  Shape shape = shape_of(v);
  CHECK(shape.dims[dim] % size(role) == 0, shape.text(), size(role));
  shape.dims[dim] /= size(role);
  const ComputationId reducer = state_->reducer(shape.type);
  Instruction instruction = along_groups(Opcode::reduce_scatter, std::move(shape), v.id_,
                                         state_->groups_of(*state_->axis(role)), state_->next_channel++);
  instruction.dimensions = {static_cast<int64_t>(dim)};
  instruction.called = {{"to_apply", reducer}};
  return emit(std::move(instruction));
}

Value SpmdBuilder::all_reduce(Value v, std::string_view role) {
  if (!ok() || size(role) == 1) return v;
  const ComputationId reducer = state_->reducer(shape_of(v).type);
  Instruction instruction = along_groups(Opcode::all_reduce, shape_of(v), v.id_,
                                         state_->groups_of(*state_->axis(role)), state_->next_channel++);
  instruction.called = {{"to_apply", reducer}};
  return emit(std::move(instruction));
}

Value SpmdBuilder::shift(Value v, std::string_view role, int64_t distance) {
  const int64_t n = size(role);
  distance = ((distance % n) + n) % n;
  if (!ok() || distance == 0) return v;
  Instruction instruction;
  instruction.opcode = Opcode::collective_permute;
  instruction.shape = shape_of(v);
  instruction.operands = {v.id_};
  instruction.permutation = state_->shift_of(*state_->axis(role), distance);
  instruction.channel_id = state_->next_channel++;
  return emit(std::move(instruction));
}

}  // namespace shardscope
