// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/story/sums/range_statistics.h"

namespace shardscope::inline story {

// Range statistics as people read them, with units: the cells of Details, of its copies and of `story
// --range`.
const std::vector<std::string>& range_columns();
std::vector<std::vector<std::string>> range_rows(const RangeStatistics& sums);
// How the columns count: what is cut, and over how many devices means are.
std::vector<std::string> range_notes(const RangeStatistics& sums);

}  // namespace shardscope::inline story
