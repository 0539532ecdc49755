// SPDX-License-Identifier: Apache-2.0
// Loops and branches.
#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/leaf_shardings.h"

namespace shardscope::inline partitioner::spmd_rule {

Result<ShardedLeaves> while_loop(const SpmdContext& cx, const Visit& v) {
  const CalledComputation *condition = nullptr, *body = nullptr;
  for (const CalledComputation& c : v.i.called) (c.key == "condition" ? condition : body) = &c;
  if (condition == nullptr || body == nullptr)
    return invalid("a while needs a condition and a body", "instruction " + v.i.name);
  // The loop's state is kept as its result is wanted; what nobody annotated stays as it starts.
  const bool annotated = has_sharding(v.i);
  std::vector<Tiling> state = v.wanted;
  ShardedLeaves init;
  for (size_t k = 0; k < state.size(); ++k) {
    if (!annotated) state[k] = v.leaves(0)[k].tiling;
    Resharder::Because because(cx.resharder, "while: its state starts in the sharding of its result",
                               v.source_of(0).name);
    init.push_back(cx.resharder.to(v.scope(), v.leaves(0)[k], state[k]));
  }
  Instruction made = v.i;
  made.called = {};
  const std::vector<Tiling> decision{Tiling::replicated(0, v.scope().size())};
  for (const CalledComputation* c : {condition, body}) {
    TRY(const ComputationId id,
        write_called(cx, v, c->computation, {{state}, c == condition ? decision : state}));
    made.called.edit().push_back({c->key, id});
  }
  const InstructionId start = tuple_of(cx.writer, init, v.i.shape);
  const InstructionId id = write_like(cx, made, cx.writer.shape(start), {start});
  return leaves_of_value(cx.writer, id, v.i.shape, state);
}

Result<ShardedLeaves> conditional(const SpmdContext& cx, const Visit& v) {
  Instruction made = v.i;
  std::vector<InstructionId> operands{whole_operand(cx, v, 0).id};
  for (size_t k = 0; k < made.called.size(); ++k) {
    std::vector<Tiling> given;
    for (const Sharded& leaf : v.leaves(k + 1)) given.push_back(leaf.tiling);
    operands.push_back(tuple_of(cx.writer, v.leaves(k + 1), v.source_of(k + 1).shape));
    TRY(made.called.edit()[k].computation,
        write_called(cx, v, made.called[k].computation, {{given}, v.wanted}));
  }
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, v.wanted), operands);
  return leaves_of_value(cx.writer, id, v.i.shape, v.wanted);
}

}  // namespace shardscope::inline partitioner::spmd_rule
