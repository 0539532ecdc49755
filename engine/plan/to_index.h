// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace shardscope::inline planner {

inline size_t to_index(int64_t number) {
  return static_cast<size_t>(number);
}

}  // namespace shardscope::inline planner
