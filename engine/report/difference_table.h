// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison of several runs; terminal, Markdown, HTML and LaTeX print the same cells.
#pragma once

#include <vector>

#include "engine/report/table.h"
#include "engine/run/difference.h"

namespace shardscope {

// Which runs stand side by side: `others` against the first.
using Shown = std::vector<size_t>;
Shown all_others(const RunDifference& difference);

TextTable runs_table(const RunDifference& difference);
// A value a run and what each other has more than the first; the last row is the total.
TextTable times_table(const RunDifference& difference, const char* what, const std::vector<TimeRow>& rows,
                      const Shown& others);
// Those that differ, at most `most` (0: all); what is left out is said in a last row.
TextTable operations_table(const RunDifference& difference, const Shown& others, size_t most);
TextTable memory_table(const RunDifference& difference, const Shown& others);

}  // namespace shardscope
