// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/partition/rules/dot_axes.h"
#include "engine/partition/rules/dot_grouping.h"

namespace shardscope::inline partitioner {

// Decides how a product is computed on split operands: XLA's recursive strategy (dot_handler.cc). Devices are
// cut in groups that share batch, free or contracting indices; inside a group the rest is decided again.
class DotPartitioner {
 public:
  explicit DotPartitioner(const DotContext& cx) : cx_(cx) {}

  // The product as `level.out` says.
  Sharded partition(const DotLevel& level);

 private:
  using Attempt = std::optional<Sharded>;
  // Whether groups must be those that operands lie in already: tried first, so that nothing moves only to
  // stand in other groups.
  enum class Groups { as_they_lie, any };

  Attempt recurse(const DotLevel& level, Groups groups);
  Sharded fitted(const DotLevel& level);
  // Where an operand is split by all devices as the result needs it.
  Attempt matched_case(const DotLevel& level);
  Attempt batch_case(const DotLevel& level, bool cheap_only);
  Attempt free_case(const DotLevel& level, DotSide side);
  // Where no dimension of the operands matches.
  Attempt last_case(const DotLevel& level);
  Attempt output_case(const DotLevel& level);
  Attempt slice_contracting_case(const DotLevel& level);

  Attempt group_batch(const DotLevel& level, Groups groups);
  Attempt group_batch_of_operands(const DotLevel& level, Groups groups);
  Attempt group_batch_of_result(const DotLevel& level, Groups groups);
  std::optional<Sharded> in_batch_groups(const DotLevel& level, DotSide side, const Grouped& out,
                                         Groups groups);
  Attempt group_free(const DotLevel& level, Groups groups);
  Attempt group_free_by(const DotLevel& level, DotSide leader, const std::vector<DotAxis>& axes,
                        Groups groups);
  Attempt group_contracting(const DotLevel& level, Groups groups);
  Attempt group_contracting_by(const DotLevel& level, const std::vector<DotAxis>& axes, Groups groups);
  Attempt drop_replicas(const DotLevel& level);

  // The tiles of both operands multiplied: a result whose dimensions take over their cuts from them.
  Sharded multiplied(const DotLevel& level, const Sharded& left, const Sharded& right);
  Sharded added_up(const DotLevel& level, Sharded lhs, Sharded rhs);
  // The operand moved, for a reason.
  Sharded moved(const DotLevel& level, DotSide side, const Sharded& value, const Tiling& to,
                const std::string& why);
  // The product in each group, as `out` says of the result.
  Sharded inside(const DotLevel& level, const SpmdScope& scope, const Grouped& out, const Sharded& lhs,
                 const Sharded& rhs);
  // How the operand that does not lead is cut for groups of the leader's `axes`; none: it is needed whole.
  std::optional<Grouped> groups_of_other(const DotLevel& level, DotSide leader, const Grouped& out,
                                         const std::vector<DotAxis>& axes, const Sharded& other);
  Sharded other_in_groups(const DotLevel& level, DotSide leader, const Grouped& out,
                          const std::vector<DotAxis>& axes);

  DotContext cx_;
};

}  // namespace shardscope::inline partitioner
