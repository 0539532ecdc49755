// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_store.h"

#include <utility>

namespace shardscope {

RunStore::RunStore() : workspace_(Workspace::in_memory().value()) {}

// A run that is still being written is shown from memory: the table never waits for the disk.
std::vector<RunSummary> RunStore::rows() const {
  auto rows = workspace_->runs();
  return rows.ok() ? std::move(rows).value() : std::vector<RunSummary>{};
}

std::vector<RunPtr> RunStore::currentRuns() const {
  std::vector<RunPtr> out;
  for (const int64_t id : current_) {
    if (const auto run = known_.find(id); run != known_.end()) out.push_back(run->second);
  }
  return out;
}

void RunStore::add(const RunPtr& run) {
  known_[*run->id] = run;
  current_.insert(*run->id);
}

void RunStore::remember(const RunPtr& run) {
  known_.emplace(*run->id, run);
}

void RunStore::open(std::shared_ptr<Workspace> workspace) {
  known_.clear();
  workspace_ = std::move(workspace);
}

void RunStore::moveTo(WorkspaceCopy copy) {
  for (const auto& [id, run] : known_) {
    if (copy.runs.count(id) > 0) continue;
    if (const auto late = record_copy(*copy.to, *run); late.ok()) copy.runs[id] = *late;
  }
  std::set<int64_t> current;
  known_.clear();
  for (const auto& [id, run] : copy.runs) {
    known_[*run->id] = run;
    if (current_.count(id) > 0) current.insert(*run->id);
  }
  current_ = std::move(current);
  workspace_ = std::move(copy.to);
}

}  // namespace shardscope
