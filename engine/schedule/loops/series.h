// SPDX-License-Identifier: Apache-2.0
// Sums over spans of time of which many follow each other at one distance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline scheduler {

// `count` entries: the i-th is at + i · by, and `with` + i · with_by belongs to it.
struct Series {
  Picoseconds at = 0, by = 0;
  int64_t with = 0, with_by = 0;
  int64_t count = 1;
};

// The length of the union of all spans [at, with). None: entries at so many paces that they would have to be
// taken one by one, too many to be.
std::optional<Picoseconds> covered_time(std::vector<Series> spans);

// Bytes that come (with > 0) or go at a time, with_by being 0: the most that are there at once. At one time
// what goes does so first. None: as above.
std::optional<int64_t> most_at_once(std::vector<Series> changes);

}  // namespace shardscope::inline scheduler
