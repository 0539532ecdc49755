// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QUndoStack>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/clock.h"
#include "app/window/document/job_runner.h"
#include "app/window/document/run_presenter.h"
#include "app/window/document/run_store.h"

namespace shardscope::inline window {

// A run that is listed, with all that makes it be there again.
struct KeptRun {
  RunSummary row;
  RunPtr run;  // where it is in memory
  bool current = false;
};

// What its user does to runs: naming, deleting, bringing in. Each can be undone, and is in the workspace at
// once. Nothing here waits for a file.
class RunEdits : public QObject {
  Q_OBJECT
 public:
  RunEdits(RunStore& runs, Clock& clock, JobRunner& jobs, RunPresenter& presenter);

  QUndoStack& undoStack() { return undo_; }
  void label(int64_t id, const RunLabel& given);
  void remove(const std::vector<int64_t>& ids);
  // Copies runs of another workspace file into this one, as a job: all or, cancelled or failed, none.
  void bringIn(const QString& path, const std::vector<RunSummary>& rows);
  void forget();  // another workspace is open

 Q_SIGNALS:
  void changed();
  void broughtIn(const QString& words);

 private:
  friend class LabelChange;
  friend class RunsTaken;
  void setLabel(int64_t id, const RunLabel& given);
  void take(const std::vector<KeptRun>& runs);
  void putBack(const std::vector<KeptRun>& runs);
  void relabelRuns();
  QString arrived(const QString& path, const std::vector<RunPtr>& runs);

  RunStore& runs_;
  Clock& clock_;
  JobRunner& jobs_;
  RunPresenter& presenter_;
  QUndoStack undo_;
  Background relabelling_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
