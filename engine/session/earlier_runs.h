// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/request/experiment.h"
#include "engine/run/run_summary.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline session {

// Stands in the warnings of numbers that were computed of arrays which no experiment names.
inline constexpr const char* kOwnArrays = "of the arrays that were given, not of a fill";

// What a workspace holds of an experiment that was run before: whoever goes on with it need not run it again.
class EarlierRuns {
 public:
  static Result<EarlierRuns> in(std::shared_ptr<Workspace> workspace);

  // The newest run that was asked for in the same words on the same chip, with its number; null: there is
  // none. With its numbers when they were computed before the end.
  Result<RunPtr> find(const Experiment& experiment, const RunRequest& request, const Hardware& hardware,
                      const std::stop_token& stop) const;

 private:
  EarlierRuns(std::shared_ptr<Workspace> workspace, std::vector<RunSummary> runs)
      : workspace_(std::move(workspace)), runs_(std::move(runs)) {}

  std::shared_ptr<Workspace> workspace_;
  std::vector<RunSummary> runs_;
};

}  // namespace shardscope::inline session
