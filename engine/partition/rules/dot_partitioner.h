// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/partition/reshard/resharder.h"

namespace shardscope {

// One dimension of a product in its operands and its result; -1 where it is not.
struct DotAxis {
  int64_t lhs = -1, rhs = -1, out = -1;
};

// The dimensions of a dot or convolution by what they do. A convolution's spatial dimensions are in none of
// the lists: they are whole in whatever is made of these.
struct DotAxes {
  std::vector<DotAxis> batch, contracting, lhs_free, rhs_free;
  static std::optional<DotAxes> of(const Computation& computation, const Instruction& dot);
};

// Decides how a product is computed on split operands: XLA's recursive strategy (dot_handler.cc). Devices are
// cut in groups that share batch, free or contracting indices; inside a group the rest is decided again.
class DotPartitioner {
 public:
  // `instruction`: the source product, whose attributes the local ones keep.
  DotPartitioner(SpmdWriter& writer, Resharder& resharder, const Instruction& instruction, DotAxes axes,
                 const PartitionOptions& options);

  // The product as `out` says.
  Sharded partition(const SpmdScope& scope, const Sharded& lhs, const Sharded& rhs, const Shape& base,
                    const Tiling& out);

 private:
  // What one level works on.
  struct Level {
    const SpmdScope& scope;
    Sharded lhs, rhs;
    Shape base;  // of the result, all devices of the scope
    Tiling out;
    int64_t devices() const { return scope.size(); }
  };
  using Attempt = std::optional<Sharded>;
  enum Side { kLhs, kRhs };

  Attempt recurse(const Level& level);
  Sharded fitted(const Level& level);
  Attempt base_case(const Level& level, bool may_reshard);
  Attempt batch_case(const Level& level, bool cheap_only);
  Attempt contracting_case(const Level& level, bool may_reshard);
  Attempt free_case(const Level& level, Side side);
  Attempt output_case(const Level& level);
  Attempt slice_contracting_case(const Level& level);
  // What the loop does with the part that is at hand.
  struct Window {
    // The operand whose shards go round. When the sum goes round instead (`scatters`): the one that is
    // multiplied in parts.
    Side side = kRhs;
    size_t dim = 0;          // its dimension that is cut into parts
    int64_t other_dim = -1;  // the same axis in the other operand,
    int64_t out_dim = -1;    // and in the result
    bool scatters = false;
    std::vector<int64_t> order;  // the ring
  };
  // There is a threshold, all devices are in one group, and the module does not forbid it.
  bool may_be_windowed(const Level& level) const;
  Attempt windowed_case(const Level& level, Side side);
  Attempt windowed_sum_case(const Level& level);
  std::optional<Window> find_window(const Level& level, Side side) const;
  Sharded window_loop(const Level& level, const Window& window);
  Attempt group_batch(const Level& level);
  Attempt group_free(const Level& level);
  Attempt group_free_by(const Level& level, Side leader);
  Attempt group_contracting(const Level& level);
  Attempt drop_replicas(const Level& level);

  std::vector<int64_t> dims(const std::vector<DotAxis>& axes, int64_t DotAxis::*which) const;
  // The tiling of a result whose dimensions take over their cuts from the operands.
  Tiling result_tiling(const Level& level, const Sharded& lhs, const Sharded& rhs) const;
  InstructionId local_dot(const Level& level, InstructionId lhs, InstructionId rhs);
  // An operand so that the devices of group g stand at place g along `on`.
  Sharded align(const Level& level, Side side, const std::vector<int64_t>& on,
                const std::vector<int64_t>& on_counts, const DeviceGroups& groups, const std::string& why);
  // The product in each group, the result's dimensions `on_out` cut by groups.
  Attempt inside_groups(const Level& level, const DeviceGroups& groups, const SpmdScope& scope,
                        const Sharded& lhs, const Sharded& rhs, const std::vector<int64_t>& on_out);
  // The other operand, whole in each group: the first of XLA's ways that works.
  Sharded share(const Level& level, Side side, const DeviceGroups& groups);
  Sharded enter(const Sharded& v, const std::vector<int64_t>& on, const DeviceGroups& groups) const;
  std::string operand_name(Side side) const;

  SpmdWriter& writer_;
  Resharder& resharder_;
  const Instruction& instruction_;
  DotAxes axes_;
  const PartitionOptions& options_;
};

}  // namespace shardscope
