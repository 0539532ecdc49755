// SPDX-License-Identifier: Apache-2.0
// Axes and parts of them in the order in which they cut a dimension, major first, as Shardy compares them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/sharding/axis_split.h"

namespace shardscope::inline partitioner {

using AxisList = AxisParts;

// What cuts an array: Shardy's sharding of it. Axes of size 1 are left out.
struct ArrayAxes {
  std::vector<AxisList> dims;
  std::vector<bool> closed;  // by dimension: propagation may not cut it further
  AxisList replicated, unreduced;
  // Of the region that the array is in: none of them cuts it, each of their places has an array of its own.
  AxisList manual{};
  auto operator<=>(const ArrayAxes&) const = default;

  static ArrayAxes open(size_t rank);
  static ArrayAxes whole(size_t rank);  // not cut, and closed
};

// Whether `a` is where `b` begins, or all of it.
bool begins(const AxisPart& a, const AxisPart& b);
bool contains(const AxisPart& whole, const AxisPart& part);
// `a` is shorter than `b`, which goes on from it.
bool strictly_begins(const AxisList& a, const AxisList& b);
// What of the beginning of `part` does not overlap with any of `others`; none: nothing.
std::optional<AxisPart> beginning_without(AxisPart part, const AxisList& others);
// Behind the others; one with the last where the two are parts of one axis that follow each other.
void append_axis(AxisList& axes, const AxisPart& part);

// "'x', 'y':(2)2".
std::string axes_text(const AxisMesh& mesh, const AxisList& axes);
// "[{'x'}, {?}]".
std::string array_axes_text(const AxisMesh& mesh, const ArrayAxes& array);

// XLA's sharding on the mesh, and what one of XLA's is on it; refused where its tiles do not follow the axes.
Result<HloSharding> to_hlo(const AxisMesh& mesh, const AxisSplit& split);
Result<HloSharding> to_hlo(const AxisMesh& mesh, const ArrayAxes& array);
// The axes along which the groups' devices do not differ, where they differ along all others: what makes a
// region of these groups. None: the mesh's axes do not say them.
std::optional<AxisList> axes_between(const AxisMesh& mesh, const DeviceGroups& groups);
// The same array seen in a region: without the axes that are manual there.
ArrayAxes inside_region(ArrayAxes array, const AxisList& manual);
Result<ArrayAxes> from_hlo(const AxisMesh& mesh, const HloSharding& sharding, size_t rank);
ArrayAxes from_tiles(const AxisTiles& tiles);

}  // namespace shardscope::inline partitioner
