// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope::inline cluster {

// What a rank measured. Times are nanoseconds of rank 0's clock.
struct WorkEntry {
  // worked: an instruction on all devices of the rank. sent: from when a device's part of a transfer was
  // there to go; came: from when its target was ready for it until it was there.
  enum class Kind : int32_t { worked, sent, came } kind = Kind::worked;
  int32_t instruction = -1;  // Program::global_index
  int32_t source = -1, target = -1;
  int32_t step = 0;
  int32_t rank = 0;
  int64_t bytes = 0;
  int64_t start = 0, end = 0;
};

}  // namespace shardscope::inline cluster
