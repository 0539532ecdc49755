// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/partition/types/partitioned.h"

namespace shardscope::inline partitioner {

// What is to be known of sums between devices, in sentences: which are of numbers that were rounded to few
// bits before, so that results differ from one device's; which arrays the module leaves as partial sums.
std::vector<std::string> sum_notes(const Program& source, const Partitioned& made);

}  // namespace shardscope::inline partitioner
