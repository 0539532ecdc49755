// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QObject>
#include <functional>
#include <memory>

#include "app/window/document/clock.h"
#include "app/window/document/experiment_document.h"
#include "app/window/document/notes.h"
#include "app/window/document/run_presenter.h"
#include "app/window/document/run_store.h"
#include "app/window/document/window_state.h"

namespace shardscope::inline window {

ShownState state_of(const Display& shown);

bool is_workspace(const QString& path);
// A missing file would be made; opening is not for that.
Result<std::shared_ptr<Workspace>> open_existing(const QString& path);

// A workspace file and what it is opened with: what the last window that worked on it kept there; of one that
// no window kept anything in, what its newest run was part of (else `otherwise`), and all its runs. On any
// thread.
struct OpenedFile {
  std::shared_ptr<Workspace> workspace;
  WindowState state;
  std::vector<RunSummary> rows;
};
Result<OpenedFile> open_workspace(const QString& path, const Experiment& otherwise);

// How much is kept: of runs of earlier experiments in memory, and of a run's events (of one with more, only
// its totals).
struct MemoryLimits {
  int64_t earlier_bytes = int64_t{64} << 20;
  int64_t events = 20'000'000;
};

// All that a workbench is beside its runs, as a value: taken for journals and files, and given back.
class WorkState : public QObject {
  Q_OBJECT
 public:
  WorkState(ExperimentDocument& document, Clock& clock, RunStore& runs, RunPresenter& presenter);

  WindowState now() const;
  Notes& notes() { return notes_; }  // of the run that is shown
  // What docks and pages say of themselves goes along.
  void setParts(std::function<QJsonObject()> parts) { parts_ = std::move(parts); }
  // As it was, in `workspace`; the run that was shown is read beside this thread, then restored() says so.
  void goOn(const WindowState& state, std::shared_ptr<Workspace> workspace);
  // The runs of the workspace, read beside this thread when `before`, which was left, has been written.
  void list(std::shared_ptr<Workspace> before);
  void readRuns();  // those of the experiment that are not in memory
  void cancel();
  void keepInFile() const;  // for who opens the workspace next: what is saved, and the view
  Result<void> save();      // the experiment into the file that is open; runs that were deleted may go
  bool unsaved() const;     // the file that is open would lose something
  // Into that or another file, beside this thread; done(result) on this one. `opens`: it is the open file
  // then.
  void saveBeside(const QString& path, bool opens, std::function<void(const Result<void>&)> done);
  void recordIn(std::shared_ptr<Workspace> journal);  // instead of memory, until a file is opened or saved
  void forgetRuns(const std::vector<int64_t>& ids);   // they are in the workspace no more
  void setNumerics(bool on) { numerics_ = on; }
  bool numerics() const { return numerics_; }
  void setLimits(const MemoryLimits& limits);
  const MemoryLimits& limits() const { return limits_; }

 Q_SIGNALS:
  void restored(const QJsonObject& parts);
  void runsChanged();

 private:
  Result<void> keep(const Experiment& saved) const;  // in the workspace file that is open, if one is

  ExperimentDocument& document_;
  Clock& clock_;
  RunStore& runs_;
  RunPresenter& presenter_;
  Notes notes_{clock_, runs_};
  bool numerics_ = true;
  MemoryLimits limits_;
  std::function<QJsonObject()> parts_;
  QJsonObject restoring_;                  // parts of the state that is being restored
  Background listing_, reading_, saving_;  // last: their threads end first
};

}  // namespace shardscope::inline window
