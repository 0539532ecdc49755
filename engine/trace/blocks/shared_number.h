// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace shardscope::inline trace {

// A number that differs from device to device of a group: offset, plus the permutation's value of the device.
struct SharedNumber {
  int64_t offset = 0;
  std::optional<int64_t> permutation;
};

}  // namespace shardscope::inline trace
