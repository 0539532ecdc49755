// SPDX-License-Identifier: Apache-2.0
// The schedule of a grouped matmul: which tile of rows works for which group, in which step, and how much of
// each tile is multiplied for nothing.
#pragma once

#include <string>
#include <vector>

#include "engine/program/ir/group_metadata.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct GroupedViewport {
  int64_t step = -1;      // the visit that is pointed at
  int64_t boundary = -1;  // between group boundary - 1 and group boundary: the one that keys move
  bool operator==(const GroupedViewport&) const = default;
};

// Rows lie along x, over everything in the picture. Items: block = a visit (index: its step), chunk = a
// group, handle = a boundary between two groups.
Scene layout_grouped(const GroupMetadata& metadata, const GroupedViewport& viewport, const Canvas& canvas);

// Rows under x and back.
struct GroupedAxis {
  float left = 0, width = 1;  // pixels
  int64_t m = 1;
  float x_of(int64_t row) const;
  int64_t row_at(float x) const;  // the nearest boundary between rows, within [0, m]
};
GroupedAxis grouped_axis(const GroupMetadata& metadata, const Canvas& canvas);

// The sizes after the boundary below group `boundary` (1 to groups - 1) moved to `row`: the two groups beside
// it share their rows anew.
std::vector<int64_t> with_boundary(std::vector<int64_t> sizes, int64_t boundary, int64_t row);

// The tooltip's lines.
std::vector<std::string> describe(const GroupMetadata& metadata, const ItemId& item);

}  // namespace shardscope::inline views
