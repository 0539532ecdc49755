// SPDX-License-Identifier: Apache-2.0
// What each operation makes of the pieces of X, W and Y that its operands hold: rules by opcode.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/story/shard_arithmetic.h"

namespace shardscope::inline story {

using ShardValue = std::shared_ptr<const ShardPieces>;  // devices and views share
ShardValue shared_pieces(ShardPieces pieces);
// What of `value` is inside the box, moved to the origin.
ShardValue window_of(const ShardPieces& value, const IndexBox& box);
IndexBox whole_box(const std::vector<int64_t>& dims);

// What is known so far, and which terms of each sum were added.
struct TraceState {
  explicit TraceState(const Program& program, std::stop_token stop = {});
  // For the computation that a fusion of `outer` calls: takes over what is known, until outer.take_back.
  TraceState(TraceState& outer, const Computation& fused, const Instruction& fusion);
  void take_back(TraceState inner);

  const ShardValue& operand(const Instruction& i, size_t which, size_t device) const {
    return values[static_cast<size_t>(i.operands[which].value)][device];
  }
  const Shape& shape_of(const Instruction& i, size_t which) const {
    return entry.at(i.operands[which]).shape;
  }
  std::optional<int64_t> scalar(InstructionId id, size_t device) const {
    return scalars[device][static_cast<size_t>(id.value)];
  }
  TracedSums sums() { return {arrays, sets, budget}; }
  void note_added_twice() {
    const InstructionId now(static_cast<int64_t>(values.size()) - 1);
    if (added_twice.empty() || added_twice.back() != now) added_twice.push_back(now);
    sets.forget_overlap();
  }

  const Program& program;
  const Computation& entry;
  size_t devices;
  ShardValue unknown;  // no pieces
  TracedArrays arrays;
  std::vector<int> inputs;  // arrays of the program's inputs
  ContractionSets sets;
  TraceBudget budget;
  std::vector<std::vector<std::optional<int64_t>>> scalars;  // by device
  // By instruction, by device; the last is the one that a rule is asked for. Of a collective of several
  // operands: of the first; the others' are in `further`, by instruction and operand.
  std::vector<std::vector<ShardValue>> values;
  std::map<std::pair<int64_t, size_t>, std::vector<ShardValue>> further;
  std::vector<InstructionId> added_twice;  // where a term is added that was there
  std::vector<InstructionId> mismatched;   // products of what does not belong together
};

// The value on one device; devices are asked in order.
using LocalTraceRule = ShardValue (*)(TraceState& state, const Instruction& i, size_t device);
LocalTraceRule movement_trace_rule(Opcode opcode);  // of what moves elements and changes none
// Through whole values whose operation is not followed further: an array that only this device knows.
ShardValue local_result(TraceState& state, const Instruction& i, size_t device);
LocalTraceRule local_trace_rule(Opcode opcode);  // null: nothing is known of its value
// What a collective makes of its operand `which`, on all devices.
using CollectiveTraceRule = void (*)(TraceState& state, const Instruction& i, size_t which,
                                     std::vector<ShardValue>& values);
CollectiveTraceRule collective_trace_rule(Opcode opcode);

// Why pieces are not followed through an operation; empty: they are.
std::string trace_hole(Opcode opcode);

// What each member of a group brings to a sum over it: parts of one sum as they are, whole values as the
// terms of a sum over the group's ranks. Empty: it cannot be said.
std::vector<ShardValue> contributions(TraceState& state, const Instruction& i, size_t which,
                                      const std::vector<DeviceId>& group);

}  // namespace shardscope::inline story
