// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "app/window/clock.h"
#include "app/window/experiment_document.h"
#include "app/window/job_runner.h"

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
  const std::vector<SkippedRun>& skipped() const { return skipped_; }
  std::vector<RunRow> rows() const;  // of the whole workspace
  Comparison comparison() const;     // the runs of the current experiment
  QString verdictText() const;

  Result<void> openPreset(const std::string& name);
  Result<void> openFile(const QString& path);  // .toml or .shardscope
  Result<void> saveExperiment(const QString& path) const;
  Result<void> saveWorkspace(const QString& path);  // copies the runs there and goes on in that file

  void runAll();
  void runOne(const RunRequest& request);
  void cancel() { jobs_.cancel(); }
  void setNumerics(bool on) { numerics_ = on; }
  bool numerics() const { return numerics_; }
  Result<void> showRun(int64_t id);
  Result<void> compareRuns(int64_t a, int64_t b);

 Q_SIGNALS:
  void runsChanged();
  void experimentOpened();
  void shownRunChanged(qint64 id);
  void failed(const QString& reason);  // nothing could run

 private:
  void start(const Experiment& experiment, bool keep);
  void forget();
  Result<ShownRunPtr> shownOf(int64_t id);
  void showBest();

  ExperimentDocument document_;
  Clock clock_;
  JobRunner jobs_;
  std::shared_ptr<Workspace> workspace_;
  std::map<int64_t, RunPtr> runs_;
  std::set<int64_t> current_;
  std::vector<SkippedRun> skipped_;
  bool numerics_ = true;
};

}  // namespace shardscope
