// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// XLA:TPU puts collectives into fusions: an all-reduce with the slice of it that each device keeps is a
// reduce-scatter; one that runs beside others' work begins in a fusion, goes on in those, and ends in
// another. The same program with these as instructions of their own, the latter as a start and its end; other
// collectives in fusions stand before and behind what the fusion computes. None: there are no such fusions.
std::optional<Program> without_collective_fusions(const Program& program);

}  // namespace shardscope::inline numerics
