// SPDX-License-Identifier: Apache-2.0
// What a report begins with: what was multiplied, on what, and how.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/report/document/document.h"
#include "engine/report/report.h"
#include "engine/study/difference.h"

namespace shardscope::inline report {

// What the runs have in common or not, each text once: "m=8 k=16 n=16 f32; m=16 …".
template <class Of>
std::vector<std::string> texts_of(const Comparison& comparison, Of of) {
  std::vector<std::string> seen;
  for (const RunPtr& run : comparison.runs) {
    std::string text = of(*run);
    if (!text.empty() && std::ranges::find(seen, text) == seen.end()) seen.push_back(std::move(text));
  }
  return seen;
}

// Problem, mesh, chip, and each strategy in a sentence, under the letter that tables give it.
ReportSection first_page(const Comparison& comparison, const RunDifference* compared);

}  // namespace shardscope::inline report
