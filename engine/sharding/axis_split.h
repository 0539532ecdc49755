// SPDX-License-Identifier: Apache-2.0
// How an array lies on a mesh, said with axes, parts of axes and partial results.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/sharding/axis_parts.h"
#include "engine/sharding/tiling.h"

namespace shardscope::inline sharding {

using AxisParts = std::vector<AxisPart>;  // the first the most significant

// By dimension what splits it; along `partial` devices hold partial results that are still to be combined.
// Invariant: no part of an axis stands twice.
struct AxisSplit {
  std::vector<AxisParts> dims;
  AxisParts partial;
  auto operator<=>(const AxisSplit&) const = default;
};

// What combines partial results.
enum class Combining { sum, max, min };
const char* name(Combining combining);

// "P('x', ('y:(1)2', 'z'), unreduced=max{'w'})": PartitionSpec's text with parts of axes as Shardy writes
// them, and partial results as JAX writes them (sums) and XLA (other reductions).
struct SplitText {
  AxisSplit split;
  Combining combining = Combining::sum;
};
Result<SplitText> parse_axis_split(std::string_view text, const Mesh& mesh, size_t rank);
std::string split_text(const AxisSplit& split, const Mesh& mesh, Combining combining = Combining::sum);
// "x", "y:(1)2"; of neighbouring parts what they are together.
std::vector<std::string> axis_texts(const AxisParts& parts, const Mesh& mesh);
// Neighbouring parts of one axis as one.
AxisParts joined(const AxisParts& parts);

// Where a part overlaps with one of `by` it is cut at that one's ends.
void cut_alike(std::vector<AxisParts>& lists, const AxisParts& by);

int64_t size_of(const AxisParts& parts);
// The device's place along the parts, row-major.
int64_t place_along(const AxisParts& parts, const Mesh& mesh, DeviceId device);
// The devices that differ along the parts alone, in their order; groups by their first devices.
DeviceGroups groups_along(const AxisParts& parts, const Mesh& mesh);
// One device's part of an array of `dims`; each divides evenly.
std::vector<int64_t> part_dims(const AxisSplit& split, const std::vector<int64_t>& dims);
// The same as tiles; partial results as a dimension of their own in front where `with_partial`.
Tiling tiling_of(const AxisSplit& split, const Mesh& mesh, bool with_partial);

}  // namespace shardscope::inline sharding
