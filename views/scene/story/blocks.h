// SPDX-License-Identifier: Apache-2.0
// The blocks that a sharding cuts an array into, their names, owners and colours.
#pragma once

#include <string>
#include <vector>

#include "engine/sharding/named_sharding.h"
#include "views/scene/core/pen.h"

namespace shardscope {

struct BlockedArray {
  const ArrayInfo* info = nullptr;
  NamedSharding sharding;
  std::vector<int64_t> counts;               // blocks per dimension
  std::vector<std::vector<int32_t>> owners;  // by block, row-major
  std::string letter;                        // "X"
  std::string prefix;                        // "a"

  int64_t block_count() const { return static_cast<int64_t>(owners.size()); }
  std::string block_name(int64_t block) const;
  IndexBox box(int64_t block) const;
};

// X, W, Y of a program, those whose sharding is known. Block items name arrays by their place here.
std::vector<BlockedArray> blocked_arrays(const Program& program);

// Colour and pattern of a device: Okabe–Ito for up to 8, else a hue per place on the last axis and a pattern
// per row.
struct DeviceLook {
  Color fill;
  Pattern pattern = Pattern::none;
};
DeviceLook device_look(const Theme& theme, const Mesh& mesh, int32_t device);
RectItem look_rect(const Theme& theme, const DeviceLook& look, const Rect& rect, int32_t id);

// "2 of 4" of a contraction cut in `parts`; "3 of 8" or "38 %" when it is not a whole number of them.
std::string partial_text(int64_t k_covered, int64_t k_whole, int64_t parts);
int64_t contraction_parts(const std::vector<BlockedArray>& arrays);

// Where the mesh's devices stand, in unit cells: columns are the last axis, rows the one before, others
// planes.
struct MeshPlaces {
  float columns = 1, rows = 1;
  std::vector<Point> cells;  // upper left corner, by place (row-major)
};
MeshPlaces mesh_places(const Mesh& mesh);

}  // namespace shardscope
