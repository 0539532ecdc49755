// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/clock.h"
#include "app/window/document/experiment_document.h"
#include "app/window/document/job_runner.h"
#include "app/window/document/workspace_copy.h"
#include "engine/session/session.h"

namespace shardscope {

// What the window works on, without any widget: the experiment, the jobs, the workspace with its runs, and
// the clock that views follow.
class Workbench : public QObject {
  Q_OBJECT
 public:
  explicit Workbench(QObject* parent = nullptr);

  ExperimentDocument& document() { return document_; }
  Clock& clock() { return clock_; }
  JobRunner& jobs() { return jobs_; }
  const std::shared_ptr<Workspace>& workspace() const { return workspace_; }
  const std::set<int64_t>& currentRuns() const { return current_; }
  const std::map<int64_t, RunPtr>& knownRuns() const { return runs_; }  // those in memory
  const std::vector<SkippedRun>& skipped() const { return skipped_; }
  std::vector<RunSummary> rows() const;  // of the whole workspace
  Comparison comparison() const;         // the runs of the current experiment
  QString verdictText() const;

  Result<void> openPreset(const std::string& name);
  void openExperiment(const Experiment& experiment);
  Result<void> openFile(const QString& path);  // .toml or .shardscope
  Result<void> saveExperiment(const QString& path) const;
  // Copies the runs there as a job and goes on in that file; cancelled or failed, nothing has changed.
  void saveWorkspace(const QString& path);

  void runAll();
  void runOne(const RunRequest& request);
  void cancel() { jobs_.cancel(); }
  void setNumerics(bool on) { numerics_ = on; }
  bool numerics() const { return numerics_; }
  // Read, traced and then shown by the clock, beside the GUI thread; the newest wish wins. The user's own
  // choice stays when the job that runs has finished.
  void showRun(int64_t id);
  void compareRuns(int64_t a, int64_t b);
  // A recorded run that was made elsewhere, a module's: listed and shown.
  void adopt(const RunPtr& run);
  bool preparing() const { return wanted_.has_value(); }

 Q_SIGNALS:
  void runningChanged(bool on);  // the experiment's runs are being made
  void runsChanged();
  void experimentOpened();
  void shownRunChanged(qint64 id);
  void saved(const QString& path);
  void failed(const QString& reason);   // nothing could run
  void refused(const QString& reason);  // a run could not be shown

 private:
  struct Wish {
    int64_t id = 0;
    std::optional<int64_t> other;  // to compare with
    bool operator==(const Wish&) const = default;
  };
  enum class Follow { best, newest, nothing };  // which run a finished job leaves on the canvases
  void start(const std::optional<RunRequest>& only);  // nothing: every run, instead of those there were
  void addRun(const RunPtr& run);
  QString endRunning(const Result<void>& outcome);
  void moveTo(WorkspaceCopy copy);
  void forget();
  void present(const Wish& wish);
  bool presents(const Wish& wish) const;
  void showBest();

  ExperimentDocument document_;
  Clock clock_;
  JobRunner jobs_;
  std::shared_ptr<Workspace> workspace_;
  std::map<int64_t, RunPtr> runs_;
  std::set<int64_t> current_;
  std::vector<SkippedRun> skipped_;
  bool numerics_ = true;
  bool first_ = false;  // of this job's runs none has arrived yet
  Follow follow_ = Follow::best;
  std::optional<Wish> wanted_;
  Background preparing_;  // last: its thread ends first
};

}  // namespace shardscope
