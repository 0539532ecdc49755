// SPDX-License-Identifier: Apache-2.0
// The ways along one axis of a mesh.
#pragma once

#include <cstdint>

namespace shardscope::inline mesh {

// Whether the links of an axis close to a ring: two devices have one link each way, wrapped or not.
constexpr bool closes(int64_t size, bool wraps) {
  return wraps && size > 2;
}

// From place `from` to place `to` of an axis: the shorter way round where it closes; of two equally long ones
// up, unless `direction` is negative.
struct AxisWay {
  bool up = true;
  int64_t hops = 0;
};
constexpr AxisWay axis_way(int64_t from, int64_t to, int64_t size, bool wraps, int direction = 1) {
  const bool up = to > from;
  const int64_t straight = up ? to - from : from - to;
  if (!closes(size, wraps)) return {up, straight};
  const int64_t ahead = up || straight == 0 ? straight : size - straight;
  if (2 * ahead < size || (2 * ahead == size && direction >= 0)) return {true, ahead};
  return {false, size - ahead};
}

}  // namespace shardscope::inline mesh
