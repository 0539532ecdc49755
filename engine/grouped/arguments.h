// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/grouped.h"

namespace shardscope::inline grouped {

// Everything that can be wrong with a call, found before it starts: its sizes and its schedule.
struct GroupedPlan {
  GroupedShape shape;
  GroupMetadata metadata;
};
Result<GroupedPlan> plan_gmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                             const GroupedOptions& options);
Result<GroupedPlan> plan_tgmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                              const GroupedOptions& options);

// The same of sizes alone: `shape` without its tiles. Also refuses what is too big to count in int64.
Result<GroupedPlan> plan_grouped(GroupedOp op, GroupedShape shape, const std::vector<int64_t>& group_sizes,
                                 const GroupedOptions& options);

// The tiles of a problem: as given, or looked up.
Result<GmmTiling> resolve_tiling(const std::variant<GmmTiling, TilingLookup>& tiling, int64_t m, int64_t k,
                                 int64_t n);

}  // namespace shardscope::inline grouped
