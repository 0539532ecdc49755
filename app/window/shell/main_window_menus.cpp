// SPDX-License-Identifier: Apache-2.0
// The menus of the main window: every action in one place.
#include <QApplication>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <array>

#include "app/window/chip/kernel_panel.h"
#include "app/window/shell/command_palette.h"
#include "app/window/shell/demo_mode.h"
#include "app/window/shell/key_overview.h"
#include "app/window/shell/main_window.h"
#include "app/window/widgets/export.h"

namespace shardscope {

QAction* MainWindow::add(QWidget* menu, const QString& text, const QKeySequence& key,
                         std::function<void()> run) {
  auto* made = new QAction(text, this);
  if (!key.isEmpty()) {
    made->setShortcut(key);
    made->setToolTip(QString(text).remove('&') + " (" + key.toString(QKeySequence::NativeText) + ")");
  }
  connect(made, &QAction::triggered, this, [run = std::move(run)] { run(); });
  menu->addAction(made);
  return made;
}

QAction* MainWindow::action(const QString& name) const {
  for (QAction* candidate : findChildren<QAction*>()) {
    if (QString(candidate->text()).remove('&') == name) return candidate;
  }
  return nullptr;
}

void MainWindow::makeFileMenu() {
  QMenu* menu = menuBar()->addMenu("&File");
  QMenu* presets = menu->addMenu("&Presets");
  for (const ExperimentPreset& preset : experiment_presets()) {
    add(presets, QString::fromStdString(preset.title.empty() ? preset.name : preset.title), {},
        [this, name = preset.name] { report(bench_.openPreset(name)); });
  }
  add(menu, "&Open…", QKeySequence::Open, [this] { openDialog(); });
  add(menu, "Open &HLO…", QKeySequence("Ctrl+Shift+O"), [this] { Q_EMIT hlo_->openRequested(); });
  recent_ = menu->addMenu("Recent &files");
  connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
  menu->addSeparator();
  add(menu, "&Save experiment…", QKeySequence::Save, [this] {
    const QString path =
        QFileDialog::getSaveFileName(this, "Save experiment", "experiment.toml", "Experiments (*.toml)");
    if (!path.isEmpty()) report(bench_.saveExperiment(path));
  });
  add(menu, "Save &workspace…", QKeySequence("Ctrl+Shift+S"), [this] {
    const QString path =
        QFileDialog::getSaveFileName(this, "Save workspace", "runs.shardscope", "Workspaces (*.shardscope)");
    if (path.isEmpty()) return;
    const auto saved = bench_.saveWorkspace(path);
    report(saved);
    if (saved.ok()) preferences_.addRecentFile(path);
  });
  menu->addSeparator();
  add(menu, "Export &picture…", QKeySequence("Ctrl+E"), [this] { savePicture(); });
  add(menu, "Export &table…", {}, [this] { saveTable(); });
  add(menu, "Export &report…", QKeySequence("Ctrl+Shift+E"), [this] { saveReport(); });
  menu->addSeparator();
  add(menu, "&Quit", QKeySequence::Quit, [this] { close(); });
}

void MainWindow::makeEditMenu() {
  QMenu* menu = menuBar()->addMenu("&Edit");
  QUndoStack& undo = bench_.document().undoStack();
  QAction* undo_action = undo.createUndoAction(this, "&Undo");
  undo_action->setShortcut(QKeySequence::Undo);
  menu->addAction(undo_action);
  QAction* redo_action = undo.createRedoAction(this, "&Redo");
  redo_action->setShortcut(QKeySequence::Redo);
  menu->addAction(redo_action);
  menu->addSeparator();
  add(menu, "Selection &back", QKeySequence("Alt+Left"), [this] { bench_.clock().back(); });
  add(menu, "Selection &forward", QKeySequence("Alt+Right"), [this] { bench_.clock().forward(); });
  add(menu, "&Clear selection", QKeySequence("Esc"), [this] { bench_.clock().clear(); });
  menu->addSeparator();
  add(menu, "Copy range as CS&V", QKeySequence("Ctrl+Shift+C"), [this] { timeline_->copyRange(); });
  add(menu, "Edit c&hip…", QKeySequence("Ctrl+H"), [this] {
    editChip();
  })->setToolTip("Every number of the chip and its links, with its source (Ctrl+H)");
  add(menu, "&Filter strategies", QKeySequence("Ctrl+F"), [this] {
    findChild<QDockWidget*>("dockExperiment")->show();
    QLineEdit* filter = form_->strategyPanel()->filter();
    form_->ensureWidgetVisible(form_->strategyPanel());
    form_->ensureWidgetVisible(filter);
    filter->setFocus(Qt::ShortcutFocusReason);
    filter->selectAll();
  });
  add(menu, "Fin&d instruction or device…", QKeySequence("/"), [this] { showFind(); });
}

void MainWindow::makeRunMenu() {
  QMenu* menu = menuBar()->addMenu("&Run");
  run_all_ = add(menu, "Run all", QKeySequence("Ctrl+R"), [this] { bench_.runAll(); });
  run_ = add(menu, "Run", QKeySequence("Ctrl+Shift+R"), [this] {
    if (const auto request = form_->strategies()->current()) {
      bench_.runOne(*request);
    } else {
      statusBar()->showMessage("Select a strategy in the list first, or run all of them.", 6000);
    }
  });
  run_->setToolTip("Run the selected strategy (Ctrl+Shift+R)");
  add(menu, "&Tune mesh and strategies", QKeySequence("Ctrl+T"), [this] { showPanel("tuner"); });
  add(menu, "S&weep over a range", QKeySequence("Ctrl+Shift+W"), [this] { showPanel("crossover"); });
  makeHloMenu(menu->addMenu("&HLO module"));
  cancel_ = add(menu, "Cancel", QKeySequence("Ctrl+."), [this] { bench_.cancel(); });
  menu->addSeparator();
  numerics_action_ = add(menu, "Check &numerics", {}, [] {});
  numerics_action_->setCheckable(true);
  numerics_action_->setChecked(true);
  connect(numerics_action_, &QAction::toggled, this, [this](bool on) { bench_.setNumerics(on); });
  overlap_ = add(menu, "Overlap", {}, [] {});
  overlap_->setCheckable(true);
  overlap_->setChecked(true);
  overlap_->setToolTip("Let communication run while computing; off shows what overlap buys");
  connect(overlap_, &QAction::triggered, this, [this](bool on) {
    Experiment e = bench_.document().experiment();
    e.overlap = on;
    bench_.document().change(e, "overlap");
  });
  menu->addSeparator();
  Clock& clock = bench_.clock();
  first_ = add(menu, "First step", QKeySequence("Ctrl+Home"), [&clock] { clock.setStep(0); });
  previous_ = add(menu, "Previous step", QKeySequence("Ctrl+Left"), [&clock] { clock.stepBy(-1); });
  play_ = add(menu, "Play", QKeySequence("Ctrl+Space"), [&clock] { clock.play(!clock.playing()); });
  next_ = add(menu, "Next step", QKeySequence("Ctrl+Right"), [&clock] { clock.stepBy(1); });
  last_ =
      add(menu, "Last step", QKeySequence("Ctrl+End"), [&clock] { clock.setStep(clock.stepCount() - 1); });
}

void MainWindow::makeViewMenu() {
  view_menu_ = menuBar()->addMenu("&View");
  for (QDockWidget* each : docks_) view_menu_->addAction(each->toggleViewAction());
  add(view_menu_, "Reset &layout", {}, [this] { arrangeDocks(); });
  view_menu_->addSeparator();
  add(view_menu_, "Timeline: &fit all", {}, [this] { timeline_->fitAll(); });
  add(view_menu_, "Timeline: fit &selection", {}, [this] { timeline_->fitSelection(); });
  QAction* collapse = add(view_menu_, "Timeline: one row for &equal devices", {}, [] {});
  collapse->setCheckable(true);
  collapse->setChecked(true);
  connect(collapse, &QAction::toggled, timeline_, &TimelineCanvas::setCollapsed);
  view_menu_->addSeparator();
  dark_ = add(view_menu_, "&Dark theme", QKeySequence("Ctrl+D"), [] {});
  dark_->setCheckable(true);
  dark_->setChecked(preferences_.dark());
  connect(dark_, &QAction::triggered, &preferences_, &Preferences::setDark);
  add(view_menu_, "&Larger", QKeySequence::ZoomIn, [this] {
    preferences_.setScale(preferences_.scale() + 0.25);
  })->setShortcuts({QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")});
  add(view_menu_, "S&maller", QKeySequence::ZoomOut,
      [this] { preferences_.setScale(preferences_.scale() - 0.25); });
  add(view_menu_, "&100 %", QKeySequence("Ctrl+0"), [this] { preferences_.setScale(1); });
  QAction* motion = add(view_menu_, "Reduce m&otion", {}, [] {});
  motion->setCheckable(true);
  motion->setChecked(preferences_.reduceMotion());
  connect(motion, &QAction::toggled, &preferences_, &Preferences::setReduceMotion);
  view_menu_->addSeparator();
  add(view_menu_, "D&emo mode", QKeySequence("F11"), [this] { openDemo(); });
}

void MainWindow::makeCompareMenu() {
  QMenu* menu = menuBar()->addMenu("&Compare");
  add(menu, "&Compare the two selected runs", QKeySequence("Ctrl+B"), [this] {
    const auto ids = runs_->selectedRuns();
    if (ids.size() == 2) {
      bench_.compareRuns(ids[0], ids[1]);
    } else {
      statusBar()->showMessage("Select two runs in the table: click one, Ctrl+click the other.", 6000);
    }
  });
  add(menu, "Compare the two &best runs", {}, [this] {
    const auto ranked = rank(bench_.comparison().runs);
    if (ranked.size() > 1 && ranked[1].ranked) bench_.compareRuns(*ranked[0].run->id, *ranked[1].run->id);
  });
  add(menu, "&One run again", {}, [this] { bench_.clock().compareWith(nullptr); });
}

void MainWindow::makeHelpMenu() {
  QMenu* menu = menuBar()->addMenu("&Help");
  add(menu, "&Commands…", QKeySequence("Ctrl+K"), [this] { showPalette(); });
  // Some platforms report the Shift that the character needs.
  add(menu, "&Keys…", QKeySequence("?"), [this] {
    showKeys();
  })->setShortcuts({QKeySequence("?"), QKeySequence("Shift+?")});
  menu->addSeparator();
  add(menu, "&About Shardscope", {}, [this] {
    QMessageBox::about(
        this, "Shardscope",
        QString("Shardscope %1\n\nSharded matrix multiplication on device meshes: every strategy run, "
                "timed, compared and seen.\n\nApache License 2.0")
            .arg(SHARDSCOPE_VERSION));
  });
}

void MainWindow::fillRecent() {
  recent_->clear();
  for (const QString& path : preferences_.recentFiles()) {
    connect(recent_->addAction(path), &QAction::triggered, this, [this, path] { openPath(path); });
  }
  if (recent_->isEmpty()) recent_->addAction("none yet")->setEnabled(false);
}

void MainWindow::openDialog() {
  const QString path = QFileDialog::getOpenFileName(
      this, "Open", "", "Experiments, workspaces, modules (*.toml *.shardscope *.hlo)");
  if (!path.isEmpty()) openPath(path);
}

void MainWindow::savePicture() {
  const CanvasView* canvas = currentCanvas();
  QString name = currentCanvas()->viewName();
  if (kernel_->isAncestorOf(focusWidget())) {
    canvas = kernel_->pictureCanvas();
    name = "kernel";
  }
  const QString path =
      QFileDialog::getSaveFileName(this, "Export " + name, name + ".svg", "Pictures (*.svg *.png *.pdf)");
  if (!path.isEmpty()) report(export_picture(*canvas, path));
}

void MainWindow::saveTable() {
  const QString path = QFileDialog::getSaveFileName(this, "Export table", "runs.csv", "Tables (*.csv)");
  if (!path.isEmpty()) report(export_text(runs_->csv(), path));
}

void MainWindow::saveReport() {
  const QString path = QFileDialog::getSaveFileName(this, "Export report", "report.html", "Reports (*.html)");
  if (!path.isEmpty()) report(export_report(bench_.comparison(), path));
}

void MainWindow::showPalette() {
  std::vector<PaletteEntry> entries;
  for (QAction* each : findChildren<QAction*>()) {
    if (each->text().isEmpty() || !each->isEnabled() || each->menu() != nullptr) continue;
    entries.push_back({QString(each->text()).remove('&'), each->shortcut().toString(QKeySequence::NativeText),
                       [each] { each->trigger(); }});
  }
  (new CommandPalette("Type a command", std::move(entries), this))->show();
}

void MainWindow::showFind() {
  const ShownRunPtr& shown = bench_.clock().shown();
  if (!shown) return;
  std::vector<PaletteEntry> entries;
  const Program& program = shown->run->program;
  for (int32_t i = 0; i < program.instruction_count(); ++i) {
    const Instruction& instruction = program.by_global_index(i);
    entries.push_back({QString::fromStdString(instruction.name),
                       QString::fromStdString(instruction.provenance.op_name), [this, i] {
                         ItemId item;
                         item.kind = ItemId::Kind::instruction;
                         item.instruction = i;
                         bench_.clock().select(item);
                       }});
  }
  const Mesh& mesh = shown->run->mesh;
  for (int32_t d = 0; d < static_cast<int32_t>(mesh.device_count()); ++d) {
    QStringList place;
    for (const int64_t c : mesh.coordinates(DeviceId(d))) place << QString::number(c);
    entries.push_back({QString("device (%1)").arg(place.join(',')), QString("device %1").arg(d), [this, d] {
                         ItemId item;
                         item.kind = ItemId::Kind::device;
                         item.device = d;
                         bench_.clock().select(item);
                       }});
  }
  (new CommandPalette("Find an instruction or a device", std::move(entries), this))->show();
}

void MainWindow::showKeys() {
  auto* overview = new KeyOverview(findChildren<QAction*>(), this);
  overview->show();
}

void MainWindow::openDemo() {
  const QString view =
      currentCanvas() == timeline_ && !timeline_->hasFocus() ? QString("ring") : currentCanvas()->viewName();
  auto* demo = new DemoMode(bench_.clock(), preferences_.theme(), view);
  connect(this, &QObject::destroyed, demo, &QWidget::close);
  demo->showFullScreen();
}

}  // namespace shardscope
