// SPDX-License-Identifier: Apache-2.0
// Arrays that the module leaves to be added up later (unreduced). Here every device has the whole sum; what
// crosses the end of a manual region is the device's own part of it.
#pragma once

#include "engine/partition/rules/visit.h"

namespace shardscope::inline partitioner {

// What it reduces it adds up.
bool is_sum(const Program& program, const Instruction& instruction);

// Keeps what each device has of `made`, instruction `k` of its computation, before it is added up, where the
// module leaves it so and it is a sum, or is made of such parts element by element; what is made of parts is
// added up behind, not in front. Of parts and sums what nobody reads is dropped.
Result<void> keep_parts(const SpmdContext& cx, const Visit& v, size_t k, ShardedLeaves& made);

// `whole` is what the visit's operand is in region `from`: as parts that a region of v's groups adds up.
InstructionId parts_for_region(const SpmdContext& cx, const Visit& v, size_t from, const Sharded& whole);

// What the groups of region `from` have of the visit's result, added up.
InstructionId sum_of_regions(const SpmdContext& cx, const Visit& v, size_t from, InstructionId parts);

}  // namespace shardscope::inline partitioner
