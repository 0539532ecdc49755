// SPDX-License-Identifier: Apache-2.0
#include "engine/story/shard_tracer.h"

namespace shardscope {
namespace {

constexpr size_t kMaxPiecesOfAValue = 20'000;

bool is_traced(const Shape& shape) {
  return !shape.is_tuple && shape.element_count() > 0;
}

void trace(TraceState& state, const Instruction& i) {
  std::vector<ShardValue>& values = state.values.emplace_back(state.devices, state.unknown);
  if (!is_traced(i.shape)) return;
  const CollectiveTraceRule collective = collective_trace_rule(i.opcode);
  if (collective != nullptr && i.operands.size() == 1) collective(state, i, values);
  const LocalTraceRule local = local_trace_rule(i.opcode);
  if (local == nullptr) return;
  for (size_t d = 0; d < state.devices; ++d) values[d] = local(state, i, d);
}

}  // namespace

Result<TraceState> trace_shards(const Program& program) {
  TraceState state(program);
  for (const Instruction& i : state.entry.instructions) {
    trace(state, i);
    for (const ShardValue& value : state.values.back())
      if (value->size() > kMaxPiecesOfAValue || state.sets.too_big())
        return too_big("too many pieces to trace", "instruction " + i.name,
                       "use fewer slices or larger blocks");
  }
  return state;
}

}  // namespace shardscope
