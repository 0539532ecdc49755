// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/window/document/job_runner.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline window {

struct WorkspaceCopy {
  std::shared_ptr<Workspace> to;
  std::map<int64_t, RunPtr> runs;  // by their number in the workspace that was copied
};

// What is copied: runs of `from` as they are listed. `known` are those in memory, the others are read.
struct CopiedRuns {
  std::shared_ptr<Workspace> from;
  std::vector<RunSummary> rows;
  std::map<int64_t, RunPtr> known;
};
// Records them in the file `path`, made when it is not there. Cancelled or failed, it leaves the file as it
// was before.
Result<WorkspaceCopy> copy_workspace(const CopiedRuns& runs, const std::string& path,
                                     const JobRunner::Report& report, const std::stop_token& stop);
// The same into a workspace that is open; `copy.runs` takes them.
Result<void> copy_runs(const CopiedRuns& runs, WorkspaceCopy& copy, const JobRunner::Report& report,
                       const std::stop_token& stop);
// Queues one run for `to` under a number of its own.
Result<RunPtr> record_copy(Workspace& to, const Run& run, const RunLabel& given);

}  // namespace shardscope::inline window
