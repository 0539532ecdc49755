// SPDX-License-Identifier: Apache-2.0
// What devices do with each other: collectives along one axis of the mesh.
#include <algorithm>
#include <cstdlib>

#include "engine/base/text.h"
#include "engine/program/build/builder_state.h"

namespace shardscope::inline program {
namespace {

// " left by 1": rows are counted downwards and columns to the right, as a matrix is written.
std::string way_of(std::string_view role, int64_t distance) {
  const std::string by = " by " + std::to_string(std::abs(distance));
  if (role == "row") return (distance < 0 ? " up" : " down") + by;
  if (role == "col") return (distance < 0 ? " left" : " right") + by;
  return " moves by " + std::to_string(distance) + " along " + std::string(role);
}

}  // namespace

Instruction SpmdBuilder::State::along_groups(Opcode opcode, Shape shape, InstructionId operand,
                                             Rare<ReplicaGroups> of_groups) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = {operand};
  instruction.replica_groups = std::move(of_groups);
  instruction.channel_id = next_channel++;
  // With a channel, XLA reads the groups as partitions only when told so.
  if (by_device_ids.empty()) by_device_ids.edit().push_back({"use_global_device_ids", "true"});
  instruction.verbatim = by_device_ids;
  return instruction;
}

// add(x, y) of `type`, the to_apply of reductions.
const Rare<std::vector<CalledComputation>>& SpmdBuilder::State::reducer(ElementType type) {
  const auto [place, is_new] = reducers.try_emplace(type);
  if (!is_new) return place->second;
  const std::string reducer_name = std::string("add_") + name(type);
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
  called.push_back(std::move(computation));
  place->second.edit().push_back({"to_apply", ComputationId(static_cast<int64_t>(called.size()) - 1)});
  return place->second;
}

const Rare<ReplicaGroups>& SpmdBuilder::State::groups_of(std::string_view role) {
  return groups_of(Roles{std::string(role)});
}

const Rare<ReplicaGroups>& SpmdBuilder::State::groups_of(const Roles& of_roles) {
  std::vector<int> positions;
  for (const std::string& role : of_roles) positions.push_back(*axis(role));
  const auto [place, is_new] = groups.try_emplace(positions);
  if (!is_new) return place->second;
  TileAssignment& tiles = place->second.edit().tiles;
  int64_t size = 1;
  for (const int position : positions) size *= mesh.axis_size(position);
  tiles.dims = {mesh.device_count() / size, size};
  const auto is_first = [this](DeviceId device) {
    return [this, device](int position) { return mesh.coordinate(device, position) == 0; };
  };
  for (int64_t d = 0; d < mesh.device_count(); ++d) {
    if (!std::ranges::all_of(positions, is_first(DeviceId(d)))) continue;
    std::vector<int64_t> group{d};
    for (const int position : positions) {
      std::vector<int64_t> wider;
      for (const int64_t member : group) {
        for (int64_t i = 0; i < mesh.axis_size(position); ++i)
          wider.push_back(member + i * mesh.stride(position));
      }
      group = std::move(wider);
    }
    std::vector<int64_t>& all = tiles.devices.edit();
    all.insert(all.end(), group.begin(), group.end());
  }
  return place->second;
}

int64_t SpmdBuilder::size(const Roles& roles) const {
  int64_t n = 1;
  for (const std::string& role : roles) n *= size(role);
  return n;
}

std::string SpmdBuilder::axes(const Roles& roles) const {
  std::vector<std::string> names;
  for (const std::string& role : roles) names.push_back(axis(role));
  return join(names, ",");
}

std::shared_ptr<const Permutation> SpmdBuilder::State::shift_of(int axis_position, int64_t distance) {
  auto& permutation = shifts[{axis_position, distance}];
  if (!permutation) {
    permutation = std::make_shared<const Permutation>(Permutation::shift(mesh, axis_position, distance));
  }
  return permutation;
}

// Each group from its root on, around the axis, so that neighbours in the group are neighbours on the mesh.
Rare<ReplicaGroups> SpmdBuilder::State::with_roots(int axis_position, std::string_view role,
                                                   const std::vector<int64_t>& roots) {
  const int64_t n = mesh.axis_size(axis_position);
  Rare<ReplicaGroups> out = groups_of(role);
  auto first = out.edit().tiles.devices.edit().begin();
  for (const int64_t root : roots) {
    CHECK(root >= 0 && root < n, strategy, role, root);
    std::rotate(first, first + root, first + n);
    first += n;
  }
  return out;
}

Rare<ReplicaGroups> SpmdBuilder::rooted_groups(std::string_view role, const RootOf& root) {
  const int position = *state_->axis(role);
  const Mesh& mesh = state_->mesh;
  const Rare<ReplicaGroups>& in_order = state_->groups_of(role);
  std::vector<int64_t> roots;
  for (size_t at = 0; at < in_order->tiles.devices.size();
       at += static_cast<size_t>(mesh.axis_size(position)))
    roots.push_back(root(MeshPlace(mesh, state_->roles, DeviceId(in_order->tiles.devices[at]))));
  const auto [place, is_new] = state_->rooted_groups.try_emplace({position, roots});
  if (is_new) place->second = state_->with_roots(position, role, roots);
  return place->second;
}

Rare<ReplicaGroups> SpmdBuilder::rooted_groups(std::string_view role, int64_t root) {
  const int position = *state_->axis(role);
  const auto [place, is_new] = state_->one_root_groups.try_emplace({position, root});
  if (is_new) place->second = rooted_groups(role, [root](const MeshPlace&) { return root; });
  return place->second;
}

Value SpmdBuilder::travelling(Value v) {
  return ok() && shape_of(v).type == state_->accumulation ? convert(v, state_->travelling) : v;
}

Value SpmdBuilder::broadcast(Value v, std::string_view role, int64_t root) {
  if (!ok() || size(role) == 1) return v;
  return broadcast_in(v, role, rooted_groups(role, root), "");
}

Value SpmdBuilder::broadcast(Value v, std::string_view role, const RootOf& root, std::string_view what) {
  if (!ok() || size(role) == 1) return v;
  return broadcast_in(v, role, rooted_groups(role, root), what);
}

Value SpmdBuilder::broadcast_in(Value v, std::string_view role, Rare<ReplicaGroups> groups,
                                std::string_view what) {
  v = travelling(v);
  if (!state_->is_sketch)
    say(what.empty() ? "copies of " + v.name() + " over " + axis(role) : std::string(what));
  return emit(state_->along_groups(Opcode::collective_broadcast, shape_of(v), v.id_, std::move(groups)));
}

Value SpmdBuilder::reduce(Value v, std::string_view role, int64_t root) {
  if (!ok() || size(role) == 1) return v;
  return reduce_in(v, role, rooted_groups(role, root));
}

Value SpmdBuilder::reduce(Value v, std::string_view role, const RootOf& root) {
  if (!ok() || size(role) == 1) return v;
  return reduce_in(v, role, rooted_groups(role, root));
}

Value SpmdBuilder::reduce_in(Value v, std::string_view role, Rare<ReplicaGroups> groups) {
  v = travelling(v);
  if (!state_->is_sketch) say("sum of " + v.name() + " over " + axis(role));
  Instruction instruction = state_->along_groups(Opcode::all_reduce, shape_of(v), v.id_, std::move(groups));
  instruction.called = state_->reducer(shape_of(v).type);
  instruction.rooted = true;
  return emit(std::move(instruction));
}

Value SpmdBuilder::permute(Value v, const std::function<MeshPlace(const MeshPlace&)>& target,
                           std::string_view what) {
  if (!ok()) return v;
  std::vector<SourceTarget> pairs;
  bool moves = false;
  for (int64_t d = 0; d < state_->mesh.device_count(); ++d) {
    pairs.push_back({DeviceId(d), target(MeshPlace(state_->mesh, state_->roles, DeviceId(d))).device()});
    moves = moves || pairs.back().target != pairs.back().source;
  }
  if (!moves) return v;
  v = travelling(v);
  say(what.empty() ? "permute " + v.name() : std::string(what));
  auto& permutation = state_->permutations[pairs];
  if (!permutation) {
    auto made = Permutation::make(std::move(pairs), state_->mesh.device_count());
    CHECK(made.ok(), state_->strategy, made.error().text());
    permutation = std::make_shared<const Permutation>(*std::move(made));
  }
  Instruction instruction;
  instruction.opcode = Opcode::collective_permute;
  instruction.shape = shape_of(v);
  instruction.operands = {v.id_};
  instruction.permutation = permutation;
  instruction.channel_id = state_->next_channel++;
  return emit(std::move(instruction));
}

void SpmdBuilder::after(const std::vector<Value>& done) {
  state_->after.clear();
  for (const Value& value : done) {
    if (ok() && value.id_.valid()) state_->after.push_back(value.id_);
  }
  std::ranges::sort(state_->after);
}

Value SpmdBuilder::all_gather(Value v, std::string_view role, size_t dim) {
  return all_gather(v, Roles{std::string(role)}, dim);
}

Value SpmdBuilder::all_gather(Value v, const Roles& roles, size_t dim) {
  if (!ok() || size(roles) == 1) return v;
  v = travelling(v);
  say("gather " + v.name() + " over " + axes(roles));
  Shape shape = shape_of(v);
  shape.dims[dim] *= size(roles);
  Instruction instruction =
      state_->along_groups(Opcode::all_gather, std::move(shape), v.id_, state_->groups_of(roles));
  instruction.dimensions = {static_cast<int64_t>(dim)};
  return emit(std::move(instruction));
}

Value SpmdBuilder::reduce_scatter(Value v, std::string_view role, size_t dim) {
  return reduce_scatter(v, Roles{std::string(role)}, dim);
}

Value SpmdBuilder::reduce_scatter(Value v, const Roles& roles, size_t dim) {
  if (!ok() || size(roles) == 1) return v;
  v = travelling(v);
  say("scatter " + v.name() + " over " + axes(roles));
  Shape shape = shape_of(v);
  CHECK(shape.dims[dim] % size(roles) == 0, shape.text(), size(roles));
  shape.dims[dim] /= size(roles);
  const Rare<std::vector<CalledComputation>>& reducer = state_->reducer(shape.type);
  Instruction instruction =
      state_->along_groups(Opcode::reduce_scatter, std::move(shape), v.id_, state_->groups_of(roles));
  instruction.dimensions = {static_cast<int64_t>(dim)};
  instruction.called = reducer;
  return emit(std::move(instruction));
}

Value SpmdBuilder::all_reduce(Value v, std::string_view role) {
  return all_reduce(v, Roles{std::string(role)});
}

Value SpmdBuilder::all_reduce(Value v, const Roles& roles) {
  if (!ok() || size(roles) == 1) return v;
  v = travelling(v);
  say("add " + v.name() + " up over " + axes(roles));
  Instruction instruction =
      state_->along_groups(Opcode::all_reduce, shape_of(v), v.id_, state_->groups_of(roles));
  instruction.called = state_->reducer(shape_of(v).type);
  return emit(std::move(instruction));
}

Value SpmdBuilder::all_to_all(Value v, std::string_view role, size_t dim) {
  return all_to_all(v, Roles{std::string(role)}, dim);
}

Value SpmdBuilder::all_to_all(Value v, const Roles& roles, size_t dim) {
  if (!ok() || size(roles) == 1) return v;
  v = travelling(v);
  say("all-to-all " + v.name() + " over " + axes(roles));
  CHECK(v.dim(dim) % size(roles) == 0, shape_of(v).text(), size(roles));
  Instruction instruction =
      state_->along_groups(Opcode::all_to_all, shape_of(v), v.id_, state_->groups_of(roles));
  instruction.dimensions = {static_cast<int64_t>(dim)};
  return emit(std::move(instruction));
}

Value SpmdBuilder::shift(Value v, std::string_view role, int64_t distance) {
  const int64_t n = size(role);
  const std::string way = way_of(role, distance);
  distance = ((distance % n) + n) % n;
  if (!ok() || distance == 0) return v;
  v = travelling(v);
  say(v.name() + way);
  Instruction instruction;
  instruction.opcode = Opcode::collective_permute;
  instruction.shape = shape_of(v);
  instruction.operands = {v.id_};
  instruction.permutation = state_->shift_of(*state_->axis(role), distance);
  instruction.channel_id = state_->next_channel++;
  return emit(std::move(instruction));
}

}  // namespace shardscope::inline program
