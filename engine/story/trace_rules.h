// SPDX-License-Identifier: Apache-2.0
// What each operation makes of the pieces of X, W and Y that its operands hold: rules by opcode.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/story/shard_arithmetic.h"

namespace shardscope {

using ShardValue = std::shared_ptr<const ShardPieces>;  // devices and views share
ShardValue shared_pieces(ShardPieces pieces);
// What of `value` is inside the box, moved to the origin.
ShardValue window_of(const ShardPieces& value, const IndexBox& box);
IndexBox whole_box(const std::vector<int64_t>& dims);

// What is known so far, and which terms of Y were summed.
struct TraceState {
  explicit TraceState(const Program& program);

  const ShardValue& operand(const Instruction& i, size_t which, size_t device) const {
    return values[static_cast<size_t>(i.operands[which].value)][device];
  }
  const Shape& shape_of(const Instruction& i, size_t which) const {
    return entry.at(i.operands[which]).shape;
  }
  std::optional<int64_t> scalar(InstructionId id, size_t device) const {
    return scalars[device][static_cast<size_t>(id.value)];
  }

  const Program& program;
  const Computation& entry;
  size_t devices;
  ShardValue unknown;  // no pieces
  Orientation orientation;
  ContractionSets sets;
  std::vector<std::vector<std::optional<int64_t>>> scalars;  // by device
  // By instruction, by device; the last is the one that a rule is asked for.
  std::vector<std::vector<ShardValue>> values;
};

// The value on one device; devices are asked in order.
using LocalTraceRule = ShardValue (*)(TraceState& state, const Instruction& i, size_t device);
LocalTraceRule local_trace_rule(Opcode opcode);  // null: nothing is known of its value
// The values on all devices of a collective with one operand.
using CollectiveTraceRule = void (*)(TraceState& state, const Instruction& i,
                                     std::vector<ShardValue>& values);
CollectiveTraceRule collective_trace_rule(Opcode opcode);

}  // namespace shardscope
