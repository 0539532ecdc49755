// SPDX-License-Identifier: Apache-2.0
// The one table of a comparison; Markdown, HTML, CSV and the terminal print the same cells.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/report/report.h"
#include "engine/report/verdict.h"
#include "engine/run/metrics.h"

namespace shardscope::inline report {

inline constexpr const char* kNothing = kNoNumber;  // a cell that has nothing to say
// Of a list that may be long: in a terminal, and in a report.
inline constexpr size_t kTextRows = 16, kReportRows = 40;

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right_aligned;      // per column
  std::vector<std::string> meanings{};  // of each column; empty: not told
};

std::string numerics_word(
    const NumericsReport& numerics);  // "allclose", "WRONG"; "differs" from another strategy
std::string reference_words(const NumericsReport& numerics);  // "psum", "one rounding of the f64 product"
// ", does NOT fit the chip's 15 GiB of HBM"; empty when it fits or nobody knows.
std::string fit_words(const Run& run);
TextTable comparison_table(const Comparison& comparison);
// The columns whose headers `keep` takes.
TextTable with_columns(const TextTable& table, const std::function<bool(const std::string& header)>& keep);
// A row a group: from which shardings its runs go to which, and what moves before and after.
TextTable group_table(const Comparison& comparison);
// Of a verdict with a difference: winner and second by term, and by part of the critical path. Each adds up.
TextTable term_table(const Verdict& verdict);
TextTable part_table(const Verdict& verdict);
// Why a run was skipped, without the name of its strategy that refusals begin with.
std::string reason_alone(const SkippedRun& skipped);
std::string markdown_table(const TextTable& table);
std::string csv_table(const TextTable& table);
// A tabular with the rules of booktabs, its numbers with units in those of siunitx (version 3).
std::string latex_table(const TextTable& table);
std::string latex_cell(
    const std::string& text);  // "\\qty{6.00}{\\micro\\second}"; what is no number as it is
std::string plain_table(const TextTable& table);  // columns lined up by display width
size_t display_width(const std::string& utf8);    // code points; our texts use no wide characters

}  // namespace shardscope::inline report
