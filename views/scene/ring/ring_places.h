// SPDX-License-Identifier: Apache-2.0
// Where devices and links of the ring view stand.
#pragma once

#include <vector>

#include "views/scene/core/pen.h"

namespace shardscope {

class RingPlaces {
 public:
  RingPlaces(const Mesh& mesh, const Rect& area, const Pen& pen);

  Point center(int32_t device) const { return centers_[static_cast<size_t>(device)]; }
  Rect box(int32_t device) const;
  // Devices so close that only dots travel between them, without heads and words.
  bool crowded() const { return crowded_; }
  // Of a chunk, so that those of both directions pass each other and touch no device.
  float chunk_radius() const { return chunk_; }
  // Between neighbouring boxes, border to border.
  Point gap() const { return gap_; }
  // Whether the way between two devices curves round the others.
  bool curved(int32_t from, int32_t to, int axis) const;
  // The neighbour of `device` on an axis, -1 at an end that does not wrap.
  int32_t neighbour(int32_t device, int axis, int direction) const;
  // The way from one device to another, from border to border; wrap links curve round. `side` shifts it off
  // the middle.
  std::vector<Point> way(int32_t from, int32_t to, int axis, float side) const;

 private:
  const Mesh& mesh_;
  std::vector<Point> centers_;
  std::vector<int32_t> device_at_;  // by place on the torus
  Point half_, gap_;
  float chunk_ = 0;
  bool crowded_ = false;
  bool circle_ = false;
  float bulge_ = 0;
};

// The point at `part` (0 to 1) of a polyline's length.
Point along(const std::vector<Point>& way, double part);

}  // namespace shardscope
