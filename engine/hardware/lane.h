// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace shardscope::inline hardware {

// What a device can do at the same time. Every device has the same lanes.
enum class LaneKind : uint8_t { compute, link, port, copy };
struct Lane {
  LaneKind kind = LaneKind::compute;
  int32_t axis = -1;      // mesh axis of a link
  int32_t direction = 0;  // of a link: +1, -1
  std::string name;       // "compute", "col+", "col-", "port", "copy"
  bool operator==(const Lane&) const = default;
};

}  // namespace shardscope::inline hardware
