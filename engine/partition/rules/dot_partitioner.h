// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/partition/rules/dot_axes.h"

namespace shardscope {

// Decides how a product is computed on split operands: XLA's recursive strategy (dot_handler.cc). Devices are
// cut in groups that share batch, free or contracting indices; inside a group the rest is decided again.
class DotPartitioner {
 public:
  explicit DotPartitioner(const DotContext& cx) : cx_(cx) {}

  // The product as `level.out` says.
  Sharded partition(const DotLevel& level);

 private:
  using Attempt = std::optional<Sharded>;

  Attempt recurse(const DotLevel& level);
  Sharded fitted(const DotLevel& level);
  Attempt base_case(const DotLevel& level, bool may_reshard);
  Attempt batch_case(const DotLevel& level, bool cheap_only);
  Attempt contracting_case(const DotLevel& level, bool may_reshard);
  Attempt free_case(const DotLevel& level, DotSide side);
  Attempt output_case(const DotLevel& level);
  Attempt slice_contracting_case(const DotLevel& level);
  Attempt group_batch(const DotLevel& level);
  Attempt group_free(const DotLevel& level);
  Attempt group_free_by(const DotLevel& level, DotSide leader);
  Attempt group_contracting(const DotLevel& level);
  Attempt drop_replicas(const DotLevel& level);

  // The tiles of both operands multiplied: a result whose dimensions take over their cuts from them.
  Sharded multiplied(const DotLevel& level, const Sharded& lhs, const Sharded& rhs);
  // An operand so that the devices of group g stand at place g along `on`.
  Sharded align(const DotLevel& level, DotSide side, const std::vector<int64_t>& on,
                const std::vector<int64_t>& on_counts, const DeviceGroups& groups, const std::string& why);
  // The product in each group, the result's dimensions `on_out` cut by groups.
  Attempt inside_groups(const DotLevel& level, const DeviceGroups& groups, const SpmdScope& scope,
                        const Sharded& lhs, const Sharded& rhs, const std::vector<int64_t>& on_out);
  // The other operand, whole in each group: the first of XLA's ways that works.
  Sharded share(const DotLevel& level, DotSide side, const DeviceGroups& groups);

  DotContext cx_;
};

}  // namespace shardscope
