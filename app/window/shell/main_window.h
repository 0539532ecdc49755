// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <QUndoGroup>

#include "app/window/docks/dock_area.h"
#include "app/window/document/run_moments.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/file_drop.h"
#include "app/window/shell/help.h"
#include "app/window/shell/job_status.h"
#include "app/window/shell/restore_bar.h"
#include "app/window/shell/tool_bars.h"
#include "app/window/shell/undo_focus.h"
#include "app/window/widgets/wheel_guard.h"

namespace shardscope::inline window {

// One workbench with the docks and commands of their tables round it.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Preferences& preferences, QWidget* parent = nullptr);

  Workbench& bench() { return bench_; }
  DockArea& docks() { return docks_; }
  const Context& context() const { return context_; }
  Journaling& journaling() { return journaling_; }
  RestoreBar& restoreBar() { return *restore_bar_; }
  WrittenBar& writtenBar() { return *written_bar_; }
  FileDrop& fileDrop() { return *file_drop_; }
  // From now on what is done is kept there, and what an earlier window left there is offered.
  Result<void> keepJournal(const QString& folder);
  QAction* action(const QString& id) const { return findChild<QAction*>(id); }  // null: there is none

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void connectBench();
  void applyLook();
  void applyTelling();
  void applyLimits();
  void connectState();
  void followPage();
  void connectWidget(const DockArea::Made& made);
  void showTitle();
  bool mayClose();
  void fitDocks();

  Preferences& preferences_;
  Workbench bench_;
  RunMoments run_moments_;
  Transport transport_;
  QUndoGroup undo_;
  Journaling journaling_;
  const Context context_;
  DockArea docks_;
  Actions actions_;
  ToolBars bars_;
  UndoFocus undo_focus_;
  WheelGuard wheel_;
  HelpKey help_key_;
  JobStatus* job_;
  RestoreBar* restore_bar_;
  WrittenBar* written_bar_;
  std::unique_ptr<FileDrop> file_drop_;
  bool discard_ = false;  // edits that the file lacks are not wanted
};

}  // namespace shardscope::inline window
