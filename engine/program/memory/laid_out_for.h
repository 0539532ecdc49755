// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace shardscope::inline program {

// Whose layouts they are: XLA's for CPUs, or for GPUs, whose products read rows and columns and whose
// exchanges take one array. TPUs' are not published; the former are taken for them.
enum class LaidOutFor : uint8_t { cpu, gpu };

}  // namespace shardscope::inline program
