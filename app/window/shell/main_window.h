// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QActionGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <functional>
#include <vector>

#include "app/window/document/preferences.h"
#include "app/window/document/workbench.h"
#include "app/window/experiment/chip_form.h"
#include "app/window/experiment/experiment_form.h"
#include "app/window/module/hlo_panel.h"
#include "app/window/runs/plane_canvas.h"
#include "app/window/runs/program_view.h"
#include "app/window/runs/runs_table.h"
#include "app/window/runs/sql_box.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/studies/crossover_panel.h"
#include "app/window/studies/error_growth_panel.h"
#include "app/window/studies/tuner_panel.h"
#include "app/window/widgets/step_bar.h"

class QToolBar;

namespace shardscope {

class KernelPanel;

// Puts the views round one workbench and gives every action a menu place, a key and a line in the palette.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Preferences& preferences, QWidget* parent = nullptr);

  Workbench& bench() { return bench_; }
  ExperimentForm* form() { return form_; }
  TimelineCanvas* timeline() { return timeline_; }
  RunsTable* runsTable() { return runs_; }
  SqlBox* sqlBox() { return sql_; }
  ProgramView* programView() { return program_; }
  TunerPanel* tuner() { return tuner_; }
  CrossoverPanel* crossover() { return crossover_; }
  ErrorGrowthPanel* errorGrowth() { return growth_; }
  KernelPanel* kernel() { return kernel_; }
  HloPanel* hlo() { return hlo_; }
  const std::vector<RunCanvas*>& canvases() const { return canvases_; }
  RunCanvas* canvas(const QString& view) const;  // null when there is no such view
  RunCanvas* currentCanvas() const;              // the one that was used last
  // A dock with a job of its own, by its word for `--view` ("tuner"): brought to the front; null when there
  // is none. `job` tells when it is done.
  struct Panel {
    QWidget* widget = nullptr;
    JobBar* job = nullptr;
    std::function<void()> run;
  };
  Panel showPanel(const QString& view);
  static QStringList panelNames() { return {"tuner", "crossover", "errors", "kernel", "hlo"}; }
  // The kernel that stands for an instruction of the shown run (-1: the selected one) in the Kernel dock;
  // says in the status bar why when none does.
  void openInChip(int32_t instruction = -1);
  ChipForm* editChip();                        // opens the form of the experiment's chip
  QAction* action(const QString& name) const;  // by its text without mnemonic; null when there is none
  void report(const Result<void>& result);     // says in the status bar what went wrong
  void openPath(const QString& path);
  Result<void> open(const QString& path);  // an experiment, a workspace, a module
  static bool isModule(const QString& path) { return path.endsWith(".hlo") || path.endsWith(".txt"); }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QAction* add(QWidget* menu, const QString& text, const QKeySequence& key, std::function<void()> run);
  QDockWidget* dock(const QString& title, QWidget* widget);
  void makeDocks();
  void arrangeDocks();
  bool wantsCompact() const;
  void makeFileMenu();
  void makeEditMenu();
  void makeRunMenu();
  void makeViewMenu();
  void makeCompareMenu();
  void makeKernelMenu();
  void makeHelpMenu();
  void makeToolBar();
  void arrangeToolBars();
  void makeStatusBar();
  void connectBench();
  void connectPanels();
  void connectKernel();
  void offerChip(QMenu& menu, int32_t instruction);
  void connectHlo();
  void makeHloMenu(QMenu* menu);
  void openAndRun(const Experiment& experiment);
  void saveText(const QString& title, const QString& name, const QString& filter, const QString& text);

  void applyLook();
  void refreshRuns();
  void showSelectedRuns();
  void setBusy(bool busy);
  void fillRecent();
  void openDialog();
  void savePicture();
  void saveTable();
  void saveReport();
  void showPalette();
  void showFind();
  void showKeys();
  void openDemo();
  void readDocument();

  Preferences& preferences_;
  Workbench bench_;
  ExperimentForm* form_;
  ChipForm* chip_form_ = nullptr;  // made when first asked for
  GridCanvas* grid_;
  RingCanvas* ring_;
  TimelineCanvas* timeline_;
  RunCanvas *memory_, *roofline_, *numerics_;
  ProgramView* program_;
  RunsTable* runs_;
  SqlBox* sql_;
  TunerPanel* tuner_;
  CrossoverPanel* crossover_;
  ErrorGrowthPanel* growth_;
  KernelPanel* kernel_;
  HloPanel* hlo_;
  std::vector<RunCanvas*> canvases_;
  std::vector<QDockWidget*> docks_;
  QMenu *recent_ = nullptr, *view_menu_ = nullptr;
  QToolBar *tools_ = nullptr, *setup_ = nullptr;
  QList<QAction*> setup_actions_;  // hardware, overlap, commands
  QComboBox* hardware_ = nullptr;
  QAction *run_ = nullptr, *run_all_ = nullptr, *cancel_ = nullptr, *first_ = nullptr, *previous_ = nullptr,
          *play_ = nullptr, *next_ = nullptr, *last_ = nullptr, *overlap_ = nullptr,
          *numerics_action_ = nullptr, *dark_ = nullptr;
  QLabel *host_ = nullptr, *job_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QCheckBox* overlap_box_ = nullptr;
  QElapsedTimer since_start_;
  bool compact_ = false;
  bool kernel_roomy_ = false;  // its dock was given room once
};

}  // namespace shardscope
