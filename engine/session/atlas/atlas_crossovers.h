// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/atlas/atlas.h"
#include "engine/study/crossover.h"

namespace shardscope::inline session {

// Where another way of a product becomes the fastest as it grows.
struct AtlasLine {
  AxisSplit lhs, rhs, result;
  enum class Along { m, k, n } along = Along::m;
  std::vector<int64_t> sizes;  // that it takes; the question's others hold
};

// The ways that are the fastest at one of the sizes at least, and XLA's and Shardy's, each timed at all of
// them. A size that the mesh does not divide has no ways. Errors: as make_atlas.
Result<CrossoverTable> atlas_crossovers(const AtlasQuestion& question, const AtlasLine& line,
                                        const std::stop_token& stop);

}  // namespace shardscope::inline session
