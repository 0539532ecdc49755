// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>

#include "app/window/document/clock.h"
#include "app/window/document/experiment_document.h"
#include "app/window/document/job_runner.h"
#include "app/window/document/run_arrivals.h"
#include "app/window/document/run_edits.h"
#include "app/window/document/run_presenter.h"
#include "app/window/document/run_store.h"
#include "app/window/document/work_state.h"
#include "engine/session/session.h"

namespace shardscope::inline window {

// What the window works on, without any widget: the experiment, the jobs, the workspace with its runs, and
// the clock that views follow.
class Workbench : public QObject {
  Q_OBJECT
 public:
  explicit Workbench(QObject* parent = nullptr);

  ExperimentDocument& document() { return document_; }
  Clock& clock() { return clock_; }
  JobRunner& jobs() { return jobs_; }
  const RunStore& runs() const { return runs_; }
  const RunArrivals& arrivals() const { return arrivals_; }
  RunPresenter& presenter(Subject of = Subject::runs) {
    return of == Subject::module ? module_presenter_ : presenter_;
  }
  WorkState& state() { return state_; }
  RunEdits& edits() { return edits_; }

  Result<void> openPreset(const std::string& name);
  void openExperiment(const Experiment& experiment);
  Result<void> openFile(const QString& path);  // .toml or .shardscope, as its window left it
  // Copies the runs there as a job and goes on in that file; cancelled or failed, nothing has changed.
  void saveWorkspace(const QString& path);
  // As a window was, in `workspace`; `rows`: its runs where they are known already.
  void goOn(const WindowState& state, std::shared_ptr<Workspace> workspace,
            std::vector<RunSummary> rows = {});

  // Of the experiment's runs: whether they are being made, and why none could be, or empty.
  struct Running {
    bool now = false;
    QString failure;
  };
  const Running& running() const { return running_; }
  void runAll();
  void run(const std::optional<RunRequest>& only);  // nothing: every run, instead of those there were
  // A recorded run that was made elsewhere: listed; of the experiment on other hardware it is shown, too.
  void adopt(const RunPtr& run);

 Q_SIGNALS:
  void runningChanged(bool on);
  void runsChanged();
  void experimentOpened();
  void saved(const QString& path);     // the file alone has all of it
  void failed(const QString& reason);  // nothing could run

 private:
  QString endRunning(const Experiment& made, const Result<void>& outcome);
  void forget();

  ExperimentDocument document_;
  Clock clock_;
  JobRunner jobs_;
  RunStore runs_;
  RunPresenter presenter_, module_presenter_;  // with the next last: their threads end first
  RunArrivals arrivals_;
  WorkState state_;
  RunEdits edits_;
  Running running_;
};

// What is said of runs that are put side by side: the title of the experiment that asks for them, or of the
// one that all of them were made of; empty: they are of several.
std::string title_of(const std::vector<RunPtr>& runs, const Experiment& now);
Comparison comparison_of(Workbench& bench);  // the runs of the current experiment, some as outlines
// Of these runs with all their events. Where they are not in memory a job reads them, and what came of `done`
// is its last word; refused while another job runs. Otherwise it is done at once.
Result<void> with_whole_runs(Workbench& bench, const std::vector<int64_t>& ids,
                             std::function<Result<void>(const Comparison&)> done);

}  // namespace shardscope::inline window
