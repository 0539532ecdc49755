// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/program/trace/shard_arithmetic.h"

namespace shardscope {

// Follows the pieces of X, W and Y through the entry of a program, one instruction on all devices after the
// other.
class ShardTracer {
 public:
  explicit ShardTracer(const Program& program);
  Result<void> run();

  const ShardPieces& pieces(size_t instruction, size_t device) const { return *values_[instruction][device]; }
  const ContractionSets& sets() const { return sets_; }

 private:
  using Value = std::shared_ptr<const ShardPieces>;  // devices and views share

  void local(const Instruction& i, size_t k, size_t device);
  void collective(const Instruction& i, size_t k);
  const Value& operand(const Instruction& i, size_t which, size_t device) const;
  Value parameter(const Instruction& i, size_t device) const;
  Value constant(const Instruction& i) const;
  Value slice(const Instruction& i, size_t device) const;
  Value dynamic_slice(const Instruction& i, size_t device) const;
  Value dynamic_update_slice(const Instruction& i, size_t device) const;
  Value concatenate(const Instruction& i, size_t device) const;
  Value transpose(const Instruction& i, size_t device) const;
  Value select(const Instruction& i, size_t device) const;
  Value window(const Value& value, const IndexBox& box) const;  // moved to the origin
  // Where a dynamic slice of `size` starts, clamped; none when it depends on data.
  std::optional<std::vector<int64_t>> starts(const Instruction& i, size_t first,
                                             const std::vector<int64_t>& size, size_t device) const;
  Value sum(const Instruction& i, const std::vector<DeviceId>& group);
  Value gather(const Instruction& i, const std::vector<DeviceId>& group) const;
  Value exchange(const Instruction& i, const std::vector<DeviceId>& group, size_t member) const;
  const Shape& shape_of(const Instruction& i, size_t which) const;

  const Program& program_;
  const Computation& entry_;
  size_t devices_;
  Value unknown_;
  Orientation orientation_;
  ContractionSets sets_;
  std::vector<std::vector<std::optional<int64_t>>> scalars_;  // by device
  std::vector<std::vector<Value>> values_;                    // by instruction, by device
};

}  // namespace shardscope
