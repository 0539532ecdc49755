// SPDX-License-Identifier: Apache-2.0
// Loops and branches.
#include <algorithm>

#include "engine/partition/rules/spmd_visitor.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope {

// A computation of its own in the written program, on the same devices.
Result<ComputationId> SpmdVisitor::called(const Computation& computation,
                                          const std::vector<std::vector<Tiling>>& parameters,
                                          const std::vector<Tiling>& results) {
  const int64_t devices = scope().size();
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
  SpmdVisitor visitor(source_, options_, writer_, inner, regions_.groups[region_]);
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
    init.push_back(resharder_.to(scope(), leaves(v, 0)[k], state[k]));
  }
  Instruction made = v.i;
  made.called.clear();
  for (const CalledComputation* c : {condition, body}) {
    const bool decides = c == condition;
    TRY(const ComputationId id,
        called(source_.computation(c->computation), {state},
               decides ? std::vector<Tiling>{Tiling::replicated(0, scope().size())} : state));
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
