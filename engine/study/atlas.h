// SPDX-License-Identifier: Apache-2.0
// What came of an atlas: every sharding of one product's three arrays.
#pragma once

#include <string>
#include <vector>

#include "engine/base/units.h"
#include "engine/sharding/axis_split.h"

namespace shardscope::inline study {

// One way to compute the product.
struct AtlasWay {
  std::vector<std::string> collectives;  // "all-gather f32[64,128]": what a device has afterwards
  double bytes = 0;                      // that a device sends, the mean over devices
  Picoseconds time = 0;                  // of all of it
  int64_t peak_bytes = 0;
};

// The case that the lesson on sharded products tells it by: k is whole; k is split in one operand; in both
// alike; an axis splits the rows of the left and the columns of the right operand.
enum class ProductCase { whole = 1, one_side, both_sides, shared_axis };

struct AtlasTriple {
  size_t lhs = 0, rhs = 0, result = 0;  // of Atlas::splits
  AtlasWay xla, shardy, best;
  std::string strategy;  // what the best way does: "all-gather rhs over y, all-reduce result over x"
  ProductCase which = ProductCase::whole;
};

struct Atlas {
  std::vector<AxisSplit> splits;     // that each array may have: whole axes in the mesh's order
  std::vector<AtlasTriple> triples;  // by lhs, rhs, result
  const AtlasTriple& at(size_t lhs, size_t rhs, size_t result) const {
    return triples[(lhs * splits.size() + rhs) * splits.size() + result];
  }
};

}  // namespace shardscope::inline study
