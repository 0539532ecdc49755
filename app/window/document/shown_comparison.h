// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "app/window/document/shown_run.h"
#include "engine/study/difference.h"
#include "views/scene/compare/compare.h"

namespace shardscope::inline window {

// Runs side by side with what they differ in. Immutable, shared by the views.
struct ShownComparison {
  std::vector<ShownRunPtr> runs;  // two at least
  RunDifference difference;
  std::vector<ViewInput> inputs{};

  CompareInput input() const { return {inputs, difference}; }
};
using ShownComparisonPtr = std::shared_ptr<const ShownComparison>;

// The same runs, with more or something else said of them.
ShownComparisonPtr with_runs(const ShownComparison& comparison, std::vector<ShownRunPtr> runs);

// Refuses what cannot be compared.
Result<ShownComparisonPtr> compare(std::vector<ShownRunPtr> runs);

}  // namespace shardscope::inline window
