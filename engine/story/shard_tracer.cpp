// SPDX-License-Identifier: Apache-2.0
#include "engine/story/shard_tracer.h"

namespace shardscope::inline story {
namespace {

constexpr size_t kMaxPiecesOfAValue = 20'000;

bool is_traced(const Shape& shape) {
  return !shape.is_tuple && shape.element_count() > 0;
}

// The numbers that a device computes about its own place are made of no input.
bool is_place(const TraceState& state, const Instruction& i, size_t device) {
  return i.literal.empty() && i.shape.element_count() == 1 &&
         state.scalars[device][state.values.size() - 1].has_value();
}

void trace(TraceState& state, const Instruction& i);

// The fused computation with names that are this fusion's alone: another one may call it too.
Computation named_after(const Instruction& fusion, const Computation& fused) {
  Computation out = fused;
  for (Instruction& i : out.instructions) i.name = fusion.name + "/" + i.name;
  out.instructions[static_cast<size_t>(out.root.value)].name = fusion.name;
  return out;
}

// What a fusion's operations make of its operands, each result: the walk goes on in the computation that it
// calls, with what is known so far.
void trace_fusion(TraceState& state, const Instruction& i) {
  if (i.called.empty()) return;
  const auto number = static_cast<int64_t>(state.values.size()) - 1;
  const Computation fused = named_after(i, state.program.computation(i.called.front().computation));
  TraceState inner(state, fused, i);
  for (const Instruction& one : fused.instructions) {
    if (one.opcode != Opcode::parameter) {
      trace(inner, one);
      continue;
    }
    std::vector<ShardValue>& values = inner.values.emplace_back();
    for (size_t d = 0; d < state.devices; ++d)
      values.push_back(state.operand(i, static_cast<size_t>(one.parameter_number), d));
  }
  std::vector<std::vector<ShardValue>> results;
  for (const InstructionId id : result_ids(fused))
    results.push_back(inner.values[static_cast<size_t>(id.value)]);
  state.take_back(std::move(inner));
  for (size_t k = 1; k < results.size(); ++k) state.further[{number, k}] = std::move(results[k]);
  if (!results.empty()) state.values.back() = std::move(results.front());
}

void trace(TraceState& state, const Instruction& i) {
  const int64_t number = static_cast<int64_t>(state.values.size());
  std::vector<ShardValue>& values = state.values.emplace_back(state.devices, state.unknown);
  if (const CollectiveTraceRule collective = collective_trace_rule(i.opcode)) {
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (!is_traced(state.shape_of(i, k))) continue;
      std::vector<ShardValue> of_operand(state.devices, state.unknown);
      collective(state, i, k, of_operand);
      if (k == 0)
        values = std::move(of_operand);
      else
        state.further[{number, k}] = std::move(of_operand);
    }
    return;
  }
  if (i.opcode == Opcode::fusion) return trace_fusion(state, i);
  if (!is_traced(i.shape)) return;
  const LocalTraceRule local = local_trace_rule(i.opcode);
  for (size_t d = 0; d < state.devices && state.budget.take(); ++d) {
    if (is_place(state, i, d))
      values[d] = shared_pieces({fill_piece(i.shape.dims)});
    else if (local != nullptr)
      values[d] = local(state, i, d);
  }
}

}  // namespace

Result<TraceState> trace_shards(const Program& program, const std::stop_token& stop) {
  TraceState state(program, stop);
  for (const Instruction& i : state.entry.instructions) {
    trace(state, i);
    if (state.budget.stopped()) return cancelled();
    if (state.sets.overlapped()) state.note_added_twice();
    if (state.sets.take_mismatch())
      state.mismatched.emplace_back(static_cast<int64_t>(state.values.size()) - 1);
    for (const ShardValue& value : state.values.back())
      if (value->size() > kMaxPiecesOfAValue || state.sets.too_big() || state.budget.spent())
        return too_big("too many pieces to trace", "instruction " + display_name(i),
                       "use fewer slices or larger blocks");
  }
  return state;
}

}  // namespace shardscope::inline story
