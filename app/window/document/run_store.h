// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "app/window/document/workspace_copy.h"
#include "engine/session/session.h"

namespace shardscope::inline window {

// Whether `experiment` as it is now asks for this run: the same mesh, problem, chip and options. Texts, and
// which other strategies are ticked, do not count.
bool still_asked(const Experiment& experiment, const Run& run);

// The workspace, which of its runs are in memory, and which belong to the experiment that is open. Those of
// earlier experiments are held in memory up to a size, the newest; the others are read when asked for. Of a
// run of many events that was read from the workspace only the outline is held.
class RunStore {
 public:
  RunStore();
  ~RunStore();  // what was hidden and not saved comes back in its file

  const std::shared_ptr<Workspace>& workspace() const { return workspace_; }
  const std::map<int64_t, RunPtr>& known() const { return known_; }  // those in memory
  const std::map<int64_t, RunPtr>& outlines() const { return outlines_; }
  const std::set<int64_t>& current() const { return current_; }  // those of the experiment
  const std::vector<SkippedRun>& skipped() const { return skipped_; }
  // Of the whole workspace, by id, and no question to its file: runs are listed as they are made or read.
  const std::vector<RunSummary>& rows() const { return rows_; }
  const RunSummary* row(int64_t id) const;  // null: there is none
  std::vector<RunPtr> currentRuns() const;  // some as outlines

  // Recorded just now, or its numbers have come; a module's run is of no experiment.
  void add(const RunPtr& run);
  void remember(const RunPtr& run);  // read from the workspace, whole or not, or labelled otherwise
  void skip(const SkippedRun& run) { skipped_.push_back(run); }
  // Of a job that begins: what was skipped is told no more, and when all is run nothing is current.
  void begin(bool all);
  void setCurrent(const std::vector<int64_t>& ids) { current_ = {ids.begin(), ids.end()}; }
  void setMostEarlierBytes(int64_t most);
  void forget(int64_t id);  // it is in the workspace no more
  void open(std::shared_ptr<Workspace> workspace);
  void list(std::vector<RunSummary> rows);  // what its file holds, beside what is listed already
  void label(int64_t id,
             const RunLabel& given);  // in list and file; the run in memory is RunEdits' to change
  // Out of the list, and into it again with everything: the workspace keeps it until hidden runs are
  // forgotten.
  void hide(int64_t id);
  void show(const RunSummary& row);
  std::set<int64_t> hidden() const { return hidden_; }  // since the file was saved
  void forgetHidden();
  // Goes on in the copy; what was recorded meanwhile, a module's run, goes along.
  void moveTo(WorkspaceCopy copy);

 private:
  std::shared_ptr<Workspace> workspace_;
  std::map<int64_t, RunPtr> known_, outlines_;
  std::set<int64_t> current_;
  std::vector<SkippedRun> skipped_;
  std::vector<RunSummary> rows_;
  std::set<int64_t> hidden_;
  int64_t most_earlier_bytes_ = int64_t{64} << 20;
};

// Of those in memory the ones that `experiment` does not ask for any more.
std::set<int64_t> old_runs(const RunStore& runs, const Experiment& experiment);
// Whether a run has so many events that nobody waits until they are read.
bool is_much(const RunStore& runs, int64_t id);

}  // namespace shardscope::inline window
