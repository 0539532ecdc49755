// SPDX-License-Identifier: Apache-2.0
#include "app/report/lesson/compared_runs.h"

#include <utility>

namespace shardscope::inline app_report {

ComparedRuns::ComparedRuns(std::vector<NamedRun> runs) : runs_(std::move(runs)) {
  for (const NamedRun& run : runs_) traces_.push_back(memory_trace(run.run));
}

Scene ComparedRuns::picture(TogetherSays says, const Canvas& canvas) const {
  std::vector<TogetherRun> shown;
  for (size_t r = 0; r < runs_.size(); ++r)
    shown.push_back({runs_[r].name, {*runs_[r].run, *traces_[r], runs_[r].story.get()}});
  return layout_together(shown, says, canvas);
}

}  // namespace shardscope::inline app_report
