// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace shardscope::inline program {

// Whose layouts they are: XLA's for CPUs, or for GPUs, whose products read rows and columns and whose
// exchanges take one array. For TPUs kernels read and write what they like, in the fast memory.
enum class LaidOutFor : uint8_t { cpu, gpu, tpu };

}  // namespace shardscope::inline program
