// SPDX-License-Identifier: Apache-2.0
// Which run is best and why, in a sentence whose every number is a row of a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/report/breakdown.h"
#include "engine/report/report.h"

namespace shardscope {

struct Verdict {
  // "meshslice.ls beats wang.ls by 15.6 µs: 9.43 µs less compute (8 products of 2048×128 instead of 8 of
  // 2048×128 …), 6.21 µs less exposed (…)."
  std::string text;
  RunPtr winner;                           // null: nothing is ranked
  RunPtr other;                            // the second of the ranking; null: the winner stands alone
  std::optional<Difference> difference{};  // of winner and other
};
Verdict judge(const std::vector<RunPtr>& runs);

// "9.43 µs less compute (…), 3.02 µs less exposed (…), though 1.20 µs more idle": the terms that make most of
// the difference, those that speak for the first run first. Empty where nothing differs that prints.
std::string difference_words(const Difference& difference, const Run& first, const Run& second);

// The fastest of them and the first, or where that is the first, it and the next: by their own times, without
// the resharding, so that the terms named add up to the gap. Two runs at least.
std::string against_the_first(const std::vector<RunPtr>& runs);

}  // namespace shardscope
