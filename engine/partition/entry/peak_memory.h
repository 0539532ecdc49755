// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/partition/types/partitioned.h"

namespace shardscope {

// The moment at which most bytes live on a device when the computation runs in program order: buffers from
// their making to their last reader, through views; parameters and the result all the time. A loop or branch
// adds what its body needs beside its operands.
struct PeakMemory {
  int64_t bytes = 0;
  std::vector<PeakBuffer> buffers;  // alive then, the largest first
};
PeakMemory peak_memory(const Program& program, const Computation& computation);

}  // namespace shardscope
