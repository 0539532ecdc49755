// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison of several runs; terminal, Markdown, HTML and LaTeX print the same cells.
#pragma once

#include <optional>
#include <vector>

#include "engine/report/table.h"
#include "engine/study/difference.h"

namespace shardscope::inline report {

// Which runs stand side by side: `others` against the first.
using Shown = std::vector<size_t>;
Shown all_others(const RunDifference& difference);

TextTable runs_table(const RunDifference& difference);
// A value a run and what each other has more than the first; the last row is the total.
TextTable times_table(const RunDifference& difference, const char* what, const std::vector<TimeRow>& rows,
                      const Shown& others);
// Those that differ, at most `most` (0: all); what is left out is said in a last row. A column a run says how
// much of its critical path is the operation's.
TextTable operations_table(const RunDifference& difference, const Shown& others, size_t most);
// What of one term is each operation's; those rows, what is left and the total in the end.
TextTable term_table(const RunDifference& difference, const Shown& others, Term term);
// Places in RunDifference::operations of the rows of a table that begins with them: of all, or of one term.
std::vector<int> operations_in(const RunDifference& difference, std::optional<Term> term);
TextTable memory_table(const RunDifference& difference, const Shown& others);

}  // namespace shardscope::inline report
