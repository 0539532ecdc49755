// SPDX-License-Identifier: Apache-2.0
// Logical pixels (before the display's scale), y downwards.
#pragma once

#include <cstdint>

namespace shardscope::inline views {

struct Point {
  float x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  Rect inset(float by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
  bool operator==(const Rect&) const = default;
};

struct Color {
  uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Color&) const = default;
};

}  // namespace shardscope::inline views
