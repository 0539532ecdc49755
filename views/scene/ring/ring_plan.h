// SPDX-License-Identifier: Apache-2.0
// In which order and form the devices of a mesh stand in the ring view, before sizes are known.
#pragma once

#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/mesh/mesh.h"
#include "views/scene/core/geometry.h"

namespace shardscope::inline views {

// line: one axis, in a row. loop: one axis round a rectangle, open where it does not close. ellipse: one axis
// whose devices all reach each other, so that no line between two crosses a third. grid: two axes. slabs:
// three, the planes of the smallest one behind each other, each moved by one cell. planes: more, side by
// side.
enum class RingShape { line, loop, ellipse, grid, slabs, planes };

struct RingPlan {
  RingShape form = RingShape::grid;
  float columns = 1, rows = 1;             // cells
  std::vector<Point> cells;                // their middles, by place on the torus
  int across = -1, down = -1, depth = -1;  // mesh axes that run to the right, down and backwards
  int64_t slabs = 1;                       // devices along `depth`
};

// `fits`: cells that stand side by side, and above each other, without being moved.
RingPlan plan_ring(const Mesh& mesh, const Fabric& fabric, Point fits);

}  // namespace shardscope::inline views
