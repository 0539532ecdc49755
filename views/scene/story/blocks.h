// SPDX-License-Identifier: Apache-2.0
// Where devices stand in pictures of the mesh, and their colours.
#pragma once

#include <string>
#include <vector>

#include "engine/sharding/named_sharding.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {

// Colour and pattern of a device: Okabe–Ito for up to 8, else a hue per place on the last axis and a pattern
// per row.
struct DeviceLook {
  Color fill;
  Pattern pattern = Pattern::none;
};
DeviceLook device_look(const Theme& theme, const Mesh& mesh, int32_t device);
RectItem look_rect(const Theme& theme, const DeviceLook& look, const Rect& rect, int32_t id);

// Where the mesh's devices stand, in unit cells: columns are the last axis, rows the one before, others
// planes.
struct MeshPlaces {
  float columns = 1, rows = 1;
  std::vector<Point> cells;  // upper left corner, by place (row-major)
};
MeshPlaces mesh_places(const Mesh& mesh);

}  // namespace shardscope::inline views
