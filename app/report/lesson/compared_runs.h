// SPDX-License-Identifier: Apache-2.0
// All runs of a lesson's experiment as one picture.
#pragma once

#include <memory>
#include <vector>

#include "engine/lesson/shown_step.h"
#include "views/scene/compare/together.h"

namespace shardscope::inline app_report {

class ComparedRuns {
 public:
  explicit ComparedRuns(std::vector<NamedRun> runs);
  Scene picture(TogetherSays says, const Canvas& canvas) const;

 private:
  std::vector<NamedRun> runs_;
  std::vector<std::unique_ptr<TraceSource>> traces_;
};

}  // namespace shardscope::inline app_report
