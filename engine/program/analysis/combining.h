// SPDX-License-Identifier: Apache-2.0
// Which collectives XLA's combiners make one of: what memory is counted by, and what the backend does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// While their results together are no larger (kDefaultAllReduceCombine… of xla/service/gpu/gpu_…_combiner).
inline constexpr int64_t kCombineBytes = (int64_t{30} << 20) + 7;
// combine_threshold_count of xla/service/gpu/gpu_compiler.cc
inline constexpr size_t kMostCombined = 256;

// Of one array, as those are that are combined.
bool is_combined(const Instruction& collective);
// Whether two collectives of one operation go the same way.
bool go_alike(const Program& program, const Instruction& a, const Instruction& b);

}  // namespace shardscope::inline program
