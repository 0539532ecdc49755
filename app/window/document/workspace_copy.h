// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "app/window/document/job_runner.h"
#include "engine/trace/workspace.h"

namespace shardscope {

struct WorkspaceCopy {
  std::shared_ptr<Workspace> to;
  std::map<int64_t, RunPtr> runs;  // by their number in the workspace that was copied
};

// Records every run of `from` in the file `path`, made when it is not there. `known` are those in memory, the
// others are read from `from`. Cancelled or failed, it leaves the file as it was before.
Result<WorkspaceCopy> copy_workspace(const Workspace& from, const std::map<int64_t, RunPtr>& known,
                                     const std::string& path, const JobRunner::Report& report,
                                     const std::stop_token& stop);
// Queues one run for `to` under a number of its own.
Result<RunPtr> record_copy(Workspace& to, const Run& run);

}  // namespace shardscope
