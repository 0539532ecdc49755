// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_store.h"

#include <algorithm>
#include <utility>

#include "engine/request/setting.h"

namespace shardscope::inline window {

namespace {

int64_t bytes_of(const Run& run) {
  const Timeline& t = run.timeline;
  size_t bytes = t.events.size() * sizeof(Event) + t.buffers.size() * sizeof(BufferLife) +
                 t.totals.size() * sizeof(DeviceTotals);
  for (const auto& points : t.memory) bytes += points.size() * sizeof(MemoryPoint);
  return static_cast<int64_t>(bytes);
}

// Of runs that are not of the experiment only the newest stay in memory.
void let_earlier_go(const std::set<int64_t>& current, std::map<int64_t, RunPtr>& known, int64_t most) {
  int64_t bytes = 0;
  for (auto run = known.rbegin(); run != known.rend();) {
    const bool earlier = current.count(run->first) == 0;
    if (earlier) bytes += bytes_of(*run->second);
    if (earlier && bytes > most)
      run = std::make_reverse_iterator(known.erase(std::next(run).base()));
    else
      ++run;
  }
}

}  // namespace

bool still_asked(const Experiment& experiment, const Run& run) {
  if (run.module) return true;  // of no experiment
  if (decisive(experiment) != decisive(run.experiment)) return false;
  const auto alike = [&](const RunRequest& r) { return r.strategy == run.asked.strategy; };
  const auto same = [&](const RunRequest& r) { return r == run.asked; };
  return std::ranges::none_of(experiment.runs, alike) || std::ranges::any_of(experiment.runs, same);
}

bool is_much(const RunStore& runs, int64_t id) {
  constexpr int64_t kMostReadAtOnce = 200'000;  // events
  const RunSummary* row = runs.row(id);
  return row != nullptr && row->events > kMostReadAtOnce;
}

RunStore::RunStore() : workspace_(Workspace::in_memory().value()) {}

RunStore::~RunStore() {
  for (const int64_t id : hidden_) static_cast<void>(workspace_->show(id));
}

const RunSummary* RunStore::row(int64_t id) const {
  const auto found = std::ranges::find(rows_, id, &RunSummary::id);
  return found == rows_.end() ? nullptr : &*found;
}

void RunStore::list(std::vector<RunSummary> rows) {
  for (RunSummary& row : rows) {
    if (this->row(row.id) == nullptr && hidden_.count(row.id) == 0) rows_.push_back(std::move(row));
  }
  std::ranges::sort(rows_, {}, &RunSummary::id);
}

void RunStore::label(int64_t id, const RunLabel& given) {
  const auto row = std::ranges::find(rows_, id, &RunSummary::id);
  if (row == rows_.end()) return;
  row->given = given;
  static_cast<void>(workspace_->label(id, given));
}

void RunStore::hide(int64_t id) {
  if (workspace_->hide(id).ok()) hidden_.insert(id);
  forget(id);
}

void RunStore::show(const RunSummary& row) {
  static_cast<void>(workspace_->show(row.id));
  hidden_.erase(row.id);
  list({row});
}

void RunStore::forgetHidden() {
  static_cast<void>(workspace_->forget_hidden());
  hidden_.clear();
}

std::vector<RunPtr> RunStore::currentRuns() const {
  std::vector<RunPtr> out;
  for (const int64_t id : current_) {
    if (const auto run = known_.find(id); run != known_.end())
      out.push_back(run->second);
    else if (const auto outline = outlines_.find(id); outline != outlines_.end())
      out.push_back(outline->second);
  }
  return out;
}

std::set<int64_t> old_runs(const RunStore& runs, const Experiment& experiment) {
  std::set<int64_t> out;
  for (const auto* runs_of : {&runs.known(), &runs.outlines()})
    for (const auto& [id, run] : *runs_of)
      if (!still_asked(experiment, *run)) out.insert(id);
  return out;
}

void RunStore::add(const RunPtr& run) {
  if (!run->module) current_.insert(*run->id);
  RunPtr added = run;
  const auto row = std::ranges::find(rows_, *run->id, &RunSummary::id);
  if (row != rows_.end() && row->given != run->given) {  // it was labelled meanwhile
    auto labelled = std::make_shared<Run>(*run);
    labelled->given = row->given;
    added = std::move(labelled);
  }
  known_[*run->id] = added;
  if (row != rows_.end())
    *row = summary_of(*added);
  else
    list({summary_of(*added)});
}

void RunStore::remember(const RunPtr& run) {
  if (is_much(*this, *run->id) && !known_.contains(*run->id)) {
    if (run->timeline.events.empty() && current_.contains(*run->id)) outlines_[*run->id] = run;
    return;
  }
  known_.insert_or_assign(*run->id, run);
  let_earlier_go(current_, known_, most_earlier_bytes_);
}

void RunStore::begin(bool all) {
  skipped_.clear();
  if (!all) return;
  current_.clear();
  outlines_.clear();
  let_earlier_go(current_, known_, most_earlier_bytes_);
}

void RunStore::setMostEarlierBytes(int64_t most) {
  most_earlier_bytes_ = most;
  let_earlier_go(current_, known_, most_earlier_bytes_);
}

void RunStore::forget(int64_t id) {
  known_.erase(id);
  outlines_.erase(id);
  current_.erase(id);
  std::erase_if(rows_, [&](const RunSummary& row) { return row.id == id; });
}

void RunStore::open(std::shared_ptr<Workspace> workspace) {
  for (const int64_t id : hidden_) static_cast<void>(workspace_->show(id));
  known_.clear();
  outlines_.clear();
  rows_.clear();
  hidden_.clear();
  workspace_ = std::move(workspace);
}

void RunStore::moveTo(WorkspaceCopy copy) {
  std::vector<RunSummary> rows;
  for (const RunSummary& row : rows_) {
    auto moved = copy.runs.find(row.id);
    if (const auto late = known_.find(row.id); moved == copy.runs.end() && late != known_.end()) {
      const auto recorded = record_copy(*copy.to, *late->second, row.given);
      if (recorded.ok()) moved = copy.runs.emplace(row.id, *recorded).first;
    }
    if (moved == copy.runs.end()) continue;
    // It may have been labelled since it was copied.
    if (moved->second->given != row.given) static_cast<void>(copy.to->label(*moved->second->id, row.given));
    rows.push_back(row);
    rows.back().id = *moved->second->id;
  }
  std::set<int64_t> current;
  known_.clear();
  outlines_.clear();
  for (const auto& [id, run] : copy.runs) {
    known_[*run->id] = run;
    if (current_.count(id) > 0) current.insert(*run->id);
  }
  current_ = std::move(current);
  rows_ = std::move(rows);
  hidden_.clear();
  workspace_ = std::move(copy.to);
}

}  // namespace shardscope::inline window
