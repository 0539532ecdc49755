// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_store.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

// What of an experiment decides what comes out of one of its runs.
Experiment decisive(Experiment e) {
  e.title = e.source = e.notes = "";
  e.warnings.clear();
  e.runs.clear();
  return e;
}

int64_t bytes_of(const Run& run) {
  const Timeline& t = run.timeline;
  size_t bytes = t.events.size() * sizeof(Event) + t.buffers.size() * sizeof(BufferLife) +
                 t.totals.size() * sizeof(DeviceTotals);
  for (const auto& points : t.memory) bytes += points.size() * sizeof(MemoryPoint);
  return static_cast<int64_t>(bytes);
}

}  // namespace

bool still_asked(const Experiment& experiment, const Run& run) {
  if (run.module) return true;  // of no experiment
  if (decisive(experiment) != decisive(run.experiment)) return false;
  const auto alike = [&](const RunRequest& r) { return r.strategy == run.asked.strategy; };
  const auto same = [&](const RunRequest& r) { return r == run.asked; };
  return std::ranges::none_of(experiment.runs, alike) || std::ranges::any_of(experiment.runs, same);
}

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

std::set<int64_t> RunStore::old(const Experiment& experiment) const {
  std::set<int64_t> out;
  for (const auto& [id, run] : known_)
    if (!still_asked(experiment, *run)) out.insert(id);
  return out;
}

void RunStore::add(const RunPtr& run) {
  known_[*run->id] = run;
  current_.insert(*run->id);
}

void RunStore::remember(const RunPtr& run) {
  known_.emplace(*run->id, run);
  letEarlierGo();
}

void RunStore::forgetCurrent() {
  current_.clear();
  letEarlierGo();
}

void RunStore::letEarlierGo() {
  int64_t bytes = 0;
  for (auto run = known_.rbegin(); run != known_.rend();) {
    const bool earlier = current_.count(run->first) == 0;
    if (earlier) bytes += bytes_of(*run->second);
    if (earlier && bytes > most_earlier_bytes_)
      run = std::make_reverse_iterator(known_.erase(std::next(run).base()));
    else
      ++run;
  }
}

void RunStore::setMostEarlierBytes(int64_t most) {
  most_earlier_bytes_ = most;
  letEarlierGo();
}

void RunStore::forget(int64_t id) {
  known_.erase(id);
  current_.erase(id);
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
