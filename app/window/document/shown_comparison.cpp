// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/shown_comparison.h"

#include <utility>

#include "engine/report/run_difference.h"

namespace shardscope::inline window {

Result<ShownComparisonPtr> compare(std::vector<ShownRunPtr> runs) {
  std::vector<RunWithStory> told;
  for (const ShownRunPtr& shown : runs) told.push_back({shown->run, shown->story});
  auto out = std::make_shared<ShownComparison>();
  TRY(out->difference, difference_of(told));
  return with_runs(*out, std::move(runs));
}

ShownComparisonPtr with_runs(const ShownComparison& comparison, std::vector<ShownRunPtr> runs) {
  auto out = std::make_shared<ShownComparison>();
  out->difference = comparison.difference;
  out->runs = std::move(runs);
  for (const ShownRunPtr& shown : out->runs) out->inputs.push_back(shown->input());
  return out;
}

}  // namespace shardscope::inline window
