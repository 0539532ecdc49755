// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QStatusBar>
#include <QTextDocument>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>

#include "app/window/chip/grouped_panel.h"
#include "app/window/chip/kernel_panel.h"
#include "app/window/runs/chart_canvas.h"
#include "app/window/widgets/icons.h"
#include "app/window/widgets/job_bar.h"
#include "views/host/surface.h"

namespace shardscope {
namespace {

// Where each number of the chip comes from.
QString hardware_tooltip(const std::string& name) {
  const auto hardware = find_hardware(name);
  if (!hardware.ok()) return QString::fromStdString(hardware.error().text());
  QStringList lines{"The chip and links that time is simulated on"};
  for (const auto& [key, source] : hardware->sources) lines << QString::fromStdString(key + ": " + source);
  return Qt::convertFromPlainText(lines.join('\n'));  // rich text wraps
}

}  // namespace

MainWindow::MainWindow(Preferences& preferences, QWidget* parent)
    : QMainWindow(parent),
      preferences_(preferences),
      form_(new ExperimentForm(bench_.document(), this)),
      grid_(new GridCanvas(bench_.clock(), this)),
      ring_(new RingCanvas(bench_.clock(), this)),
      timeline_(new TimelineCanvas(bench_.clock(), this)),
      memory_(new MemoryCanvas(bench_.clock(), this)),
      roofline_(new RooflineCanvas(bench_.clock(), this)),
      numerics_(new NumericsCanvas(bench_.clock(), this)),
      program_(new ProgramView(bench_.clock(), this)),
      runs_(new RunsTable(this)),
      sql_(new SqlBox(this)),
      tuner_(new TunerPanel(bench_.document(), this)),
      crossover_(new CrossoverPanel(bench_.document(), this)),
      growth_(new ErrorGrowthPanel(this)),
      kernel_(new KernelPanel(bench_.document(), this)),
      hlo_(new HloPanel(bench_, this)),
      canvases_{timeline_, grid_, ring_, memory_, roofline_, numerics_} {
  setWindowTitle("Shardscope");
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  makeDocks();
  makeFileMenu();
  makeEditMenu();
  makeRunMenu();
  makeViewMenu();
  makeCompareMenu();
  makeKernelMenu();
  makeHelpMenu();
  makeToolBar();
  makeStatusBar();
  connectBench();
  connectPanels();
  connectKernel();
  connectHlo();
  applyLook();
  resize(1600, 1000);
  arrangeDocks();
  setBusy(false);
}

void MainWindow::makeToolBar() {
  tools_ = addToolBar("Tools");
  tools_->setObjectName("tools");
  tools_->setMovable(false);
  tools_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  tools_->addAction(run_all_);
  tools_->addAction(run_);
  tools_->addAction(cancel_);
  tools_->widgetForAction(run_all_)->setObjectName("run");
  tools_->addSeparator();
  for (QAction* action : {first_, previous_, play_, next_, last_}) {
    tools_->addAction(action);
    static_cast<QToolButton*>(tools_->widgetForAction(action))->setToolButtonStyle(Qt::ToolButtonIconOnly);
  }
  auto* steps = new StepBar(bench_.clock(), this);
  steps->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  tools_->addWidget(steps);
  addToolBarBreak();
  setup_ = addToolBar("Setup");
  setup_->setObjectName("setup");
  setup_->setMovable(false);
  setup_actions_ << tools_->addSeparator();
  hardware_ = new QComboBox(this);
  hardware_->setAccessibleName("Hardware");
  hardware_->setToolTip("The chip and links that time is simulated on");
  for (const std::string& name : hardware_preset_names()) {
    const QString preset = QString::fromStdString(name);
    hardware_->addItem(preset, preset);
  }
  connect(hardware_, &QComboBox::activated, this, [this] {
    Experiment e = bench_.document().experiment();
    e.hardware = hardware_->currentData().toString().toStdString();
    bench_.document().change(e, "hardware");
  });
  setup_actions_ << tools_->addWidget(hardware_) << action("Edit chip…");
  overlap_box_ = new QCheckBox("overlap", this);
  overlap_box_->setToolTip(overlap_->toolTip());
  connect(overlap_box_, &QCheckBox::clicked, overlap_, &QAction::trigger);
  setup_actions_ << tools_->addWidget(overlap_box_) << tools_->addSeparator() << action("Commands…");
  arrangeToolBars();
}

// A second row where one would hide its end.
void MainWindow::arrangeToolBars() {
  QToolBar* home = compact_ ? setup_ : tools_;
  for (QAction* each : setup_actions_) {
    tools_->removeAction(each);
    setup_->removeAction(each);
    if (!compact_ || !each->isSeparator()) home->addAction(each);
  }
  setup_->setVisible(compact_);
}

void MainWindow::makeStatusBar() {
  job_ = new QLabel(this);
  progress_ = new QProgressBar(this);
  progress_->setTextVisible(false);
  progress_->setRange(0, 1000);
  progress_->setFixedWidth(160);
  host_ = new QLabel(surface_choice().text, this);
  host_->setToolTip("How the canvases are drawn; SHARDSCOPE_HOST=gl or raster chooses");
  statusBar()->addPermanentWidget(job_);
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(host_);
}

void MainWindow::connectBench() {
  Clock& clock = bench_.clock();
  for (RunCanvas* canvas : canvases_)
    connect(canvas, &RunCanvas::runRequested, this, [this] { bench_.runAll(); });
  connect(&bench_, &Workbench::runsChanged, this, &MainWindow::refreshRuns);
  connect(&bench_, &Workbench::experimentOpened, this, [this] {
    sql_->setWorkspace(bench_.workspace());
    for (RunCanvas* canvas : canvases_) canvas->setFailure("");
  });
  connect(&bench_, &Workbench::shownRunChanged, this, [this](qint64 id) {
    if (runs_->selectedRuns() != std::vector<int64_t>{id} && !bench_.clock().other()) {
      const QSignalBlocker quiet(runs_);
      runs_->view()->clearSelection();
      runs_->selectRun(id);
    }
  });
  connect(&bench_, &Workbench::failed, this, [this](const QString& reason) {
    for (RunCanvas* canvas : canvases_) canvas->setFailure(reason);
    runs_->setVerdict(reason);
  });
  connect(&bench_, &Workbench::refused, this,
          [this](const QString& reason) { statusBar()->showMessage(reason); });
  connect(form_, &ExperimentForm::chipRequested, this, &MainWindow::editChip);
  connect(runs_, &RunsTable::selectionChanged, this, &MainWindow::showSelectedRuns);
  connect(&bench_.document(), &ExperimentDocument::changed, this, &MainWindow::readDocument);
  connect(&clock, &Clock::runChanged, this, [this] {
    form_->sharding()->showRun(bench_.clock().shown());
    form_->options()->showRun(bench_.clock().shown());
  });
  connect(&clock, &Clock::playingChanged, this, [this](bool on) {
    play_->setText(on ? "Pause" : "Play");
    play_->setIcon(
        make_icon(on ? "pause" : "play", palette().color(QPalette::ButtonText), tools_->iconSize().width()));
  });
  JobRunner& jobs = bench_.jobs();
  connect(&jobs, &JobRunner::started, this, [this] {
    since_start_.start();
    setBusy(true);
  });
  connect(&jobs, &JobRunner::progress, this, [this](const QString& what, double fraction) {
    job_->setText(what + time_left(static_cast<double>(since_start_.elapsed()) / 1000, fraction));
    progress_->setValue(static_cast<int>(fraction * 1000));
  });
  connect(&jobs, &JobRunner::finished, this, [this] {
    setBusy(false);
    statusBar()->showMessage("Done.", 4000);
  });
  connect(&jobs, &JobRunner::failed, this, [this] { setBusy(false); });
  connect(&jobs, &JobRunner::cancelled, this, [this] {
    setBusy(false);
    statusBar()->showMessage("Cancelled; the runs that were finished stay.", 8000);
  });
  connect(&preferences_, &Preferences::lookChanged, this, &MainWindow::applyLook);
  sql_->setWorkspace(bench_.workspace());
}

void MainWindow::applyLook() {
  preferences_.apply();
  const Theme theme = preferences_.theme();
  for (RunCanvas* canvas : canvases_) canvas->setTheme(theme);
  tuner_->setTheme(theme);
  crossover_->setTheme(theme);
  growth_->setTheme(theme);
  kernel_->setTheme(theme);
  hlo_->setTheme(theme);
  findChild<GroupedPanel*>()->setTheme(theme);
  program_->setTheme(theme);
  form_->mesh()->setTheme(theme);
  form_->strategies()->fitRows();
  bench_.clock().setReduceMotion(preferences_.reduceMotion());
  const int px = static_cast<int>(14 * preferences_.scale());
  tools_->setIconSize({px, px});
  progress_->setFixedWidth(static_cast<int>(160 * preferences_.scale()));
  const QColor ink = palette().color(QPalette::ButtonText);
  const Color on = text_on(theme, theme.selection);
  run_all_->setIcon(make_icon("run-all", QColor(on.r, on.g, on.b), px));
  run_->setIcon(make_icon("run", ink, px));
  cancel_->setIcon(make_icon("cancel", ink, px));
  first_->setIcon(make_icon("first", ink, px));
  previous_->setIcon(make_icon("previous", ink, px));
  play_->setIcon(make_icon(bench_.clock().playing() ? "pause" : "play", ink, px));
  next_->setIcon(make_icon("next", ink, px));
  last_->setIcon(make_icon("last", ink, px));
  dark_->setChecked(preferences_.dark());
  if (compact_ != wantsCompact()) arrangeDocks();
  refreshRuns();
}

void MainWindow::setBusy(bool busy) {
  run_->setEnabled(!busy);
  run_all_->setEnabled(!busy);
  cancel_->setEnabled(busy);
  progress_->setVisible(busy);
  progress_->setValue(0);
  job_->setVisible(busy);
  for (RunCanvas* canvas : canvases_) {
    canvas->setBusy(busy);
    if (busy) canvas->setFailure("");
  }
}

void MainWindow::refreshRuns() {
  {
    const QSignalBlocker quiet(runs_);
    runs_->setRows(bench_.rows(), bench_.currentRuns(), bench_.skipped(), bench_.knownRuns());
    const ShownRunPtr& shown = bench_.clock().shown();
    if (shown && shown->run->id && runs_->selectedRuns().empty()) runs_->selectRun(*shown->run->id);
  }
  runs_->setVerdict(bench_.verdictText());
}

void MainWindow::showSelectedRuns() {
  const auto ids = runs_->selectedRuns();
  if (ids.size() == 1) bench_.showRun(ids[0]);
  if (ids.size() == 2) bench_.compareRuns(ids[0], ids[1]);
}

void MainWindow::readDocument() {
  const Experiment& e = bench_.document().experiment();
  const QString hardware = QString::fromStdString(e.hardware);
  if (hardware_->findData(hardware) < 0) hardware_->addItem(QFileInfo(hardware).completeBaseName(), hardware);
  hardware_->setCurrentIndex(hardware_->findData(hardware));
  hardware_->setToolTip(hardware_tooltip(e.hardware));
  overlap_->setChecked(e.overlap);
  overlap_box_->setChecked(e.overlap);
  setWindowTitle(e.title.empty() ? QString("Shardscope") : QString::fromStdString(e.title) + " – Shardscope");
}

ChipForm* MainWindow::editChip() {
  if (chip_form_ == nullptr) chip_form_ = new ChipForm(bench_.document(), this);
  chip_form_->show();
  chip_form_->raise();
  return chip_form_;
}

RunCanvas* MainWindow::canvas(const QString& view) const {
  const auto found = std::find_if(canvases_.begin(), canvases_.end(),
                                  [&](const RunCanvas* c) { return c->viewName() == view; });
  return found == canvases_.end() ? nullptr : *found;
}

RunCanvas* MainWindow::currentCanvas() const {
  for (RunCanvas* canvas : canvases_) {
    if (canvas->hasFocus()) return canvas;
  }
  return timeline_;
}

void MainWindow::report(const Result<void>& result) {
  if (!result.ok()) statusBar()->showMessage(QString::fromStdString(result.error().text()));
}

void MainWindow::openPath(const QString& path) {
  const auto opened = open(path);
  report(opened);
  if (opened.ok()) preferences_.addRecentFile(path);
}

// Keys that no view or field wanted are the timeline's: play, step and zoom wherever one has clicked.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (timeline_->hasFocus()) return QMainWindow::keyPressEvent(event);
  timeline_->pressKey(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  bench_.cancel();
  event->accept();
}

}  // namespace shardscope
