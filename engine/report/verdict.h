// SPDX-License-Identifier: Apache-2.0
// Which run is best and why, in a sentence whose every number is a row of a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/report/breakdown.h"
#include "engine/report/report.h"

namespace shardscope::inline report {

// The one sentence of window, report and command line about several runs. In what they differ beside their
// strategies comes before any number; then who is first by time and resharding together, and why; then all
// others; then who would be first without resharding.
struct Verdict {
  // "meshslice.ls beats wang.ls by 15.6 µs: 9.43 µs less compute (8 products of 2048×128 instead of 8 of
  // 2048×128 …), 6.21 µs less exposed (…). Then follow cannon.ls (+20.1 µs) and 36 more, up to 8.01×."
  std::string text;
  RunPtr winner;                           // null: nothing is ranked
  RunPtr other;                            // the second of its problem; null: the winner stands alone
  std::optional<Difference> difference{};  // of winner and other
};
// ranked: of many runs, those that are ranked; the last of them by their number. each: of runs that were
// chosen to be compared, every one, be it ranked or not.
enum class Judged : uint8_t { ranked, each };
Verdict judge(const std::vector<RunPtr>& runs, Judged judged = Judged::ranked);

// "9.43 µs less compute (…), 3.02 µs less exposed (…), though 1.20 µs more idle": the terms that make most of
// the difference, those that speak for the first run first. Empty where nothing differs that prints.
std::string difference_words(const Difference& difference, const Run& first, const Run& second);

}  // namespace shardscope::inline report
