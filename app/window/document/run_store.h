// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "app/window/document/workspace_copy.h"
#include "engine/session/session.h"

namespace shardscope {

// The workspace, which of its runs are in memory, and which belong to the experiment that is open.
class RunStore {
 public:
  RunStore();

  const std::shared_ptr<Workspace>& workspace() const { return workspace_; }
  const std::map<int64_t, RunPtr>& known() const { return known_; }  // those in memory
  const std::set<int64_t>& current() const { return current_; }      // those of the experiment
  const std::vector<SkippedRun>& skipped() const { return skipped_; }
  std::vector<RunSummary> rows() const;  // of the whole workspace
  std::vector<RunPtr> currentRuns() const;

  void add(const RunPtr& run);       // recorded just now
  void remember(const RunPtr& run);  // read from the workspace
  void skip(const SkippedRun& run) { skipped_.push_back(run); }
  void forgetCurrent() { current_.clear(); }  // they stay in the workspace
  void forgetSkipped() { skipped_.clear(); }
  void open(std::shared_ptr<Workspace> workspace);
  // Goes on in the copy; what was recorded meanwhile, a module's run, goes along.
  void moveTo(WorkspaceCopy copy);

 private:
  std::shared_ptr<Workspace> workspace_;
  std::map<int64_t, RunPtr> known_;
  std::set<int64_t> current_;
  std::vector<SkippedRun> skipped_;
};

}  // namespace shardscope
