// SPDX-License-Identifier: Apache-2.0
// Where devices and links of the ring view stand.
#pragma once

#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/run/run.h"
#include "views/scene/core/pen.h"

namespace shardscope {

class RingPlaces {
 public:
  // `run`: its mesh and the links that it was timed with.
  RingPlaces(const Run& run, const Rect& area, const Pen& pen);

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
  const Fabric& fabric() const { return fabric_; }
  // The way from one device to another, from border to border; wrap links curve round. `side` shifts it off
  // the middle.
  std::vector<Point> way(int32_t from, int32_t to, int axis, float side) const;

 private:
  // Boxes of at most `most` half sizes; `rings`: an axis closes, whose links need room to curve.
  void place_on_circle(const Rect& area, const Pen& pen, Point most);
  void place_on_grid(const Rect& area, const Pen& pen, Point most, bool rings);

  const Mesh& mesh_;
  Fabric fabric_;
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
