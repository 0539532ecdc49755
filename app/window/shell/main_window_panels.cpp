// SPDX-License-Identifier: Apache-2.0
// The docks with jobs of their own: tuner, crossover, error growth.
#include <QDockWidget>
#include <QFileDialog>
#include <QStatusBar>

#include "app/window/chip/kernel_panel.h"
#include "app/window/shell/main_window.h"
#include "app/window/widgets/export.h"

namespace shardscope {

void MainWindow::connectPanels() {
  for (StudyPanel* study : {static_cast<StudyPanel*>(tuner_), static_cast<StudyPanel*>(crossover_)})
    connect(study, &StudyPanel::openRequested, this, &MainWindow::openAndRun);
  connect(crossover_, &CrossoverPanel::csvRequested, this, [this] {
    if (crossover_->result())
      saveText("Export crossovers", "crossover.csv", "Tables (*.csv)", crossover_->csv());
  });
  connect(crossover_, &CrossoverPanel::htmlRequested, this, [this] {
    if (!crossover_->result()) return;
    saveText("Export crossovers", "crossover.html", "Reports (*.html)", crossover_->html());
  });
}

void MainWindow::saveText(const QString& title, const QString& name, const QString& filter,
                          const QString& text) {
  const QString path = QFileDialog::getSaveFileName(this, title, name, filter);
  if (!path.isEmpty()) report(export_text(text, path));
}

// What a tuner or a sweep timed is as large as the model: its numbers are not computed along with it.
void MainWindow::openAndRun(const Experiment& experiment) {
  bench_.openExperiment(experiment);
  numerics_action_->setChecked(false);
  bench_.runAll();
  statusBar()->showMessage("Timed only: Run > Check numerics computes the numbers too.", 8000);
}

MainWindow::Panel MainWindow::showPanel(const QString& view) {
  Panel panel;
  QString title;
  if (view == "tuner") {
    title = "Tuner";
    panel = {tuner_, tuner_->job(), [this] { tuner_->run(); }};
  } else if (view == "crossover") {
    title = "Crossover";
    panel = {crossover_, crossover_->job(), [this] { crossover_->run(); }};
  } else if (view == "errors") {
    title = "Error growth";
    panel = {growth_, growth_->job(), [this] { growth_->run(); }};
  } else if (view == "kernel") {
    title = "Kernel";
    panel = {kernel_, kernel_->findings()->job(), [this] { kernel_->findings()->search(); }};
  } else if (view == "hlo") {
    title = "HLO";
    panel = {hlo_, hlo_->job(), [this] { hlo_->run(); }};
  }
  if (auto* dock = findChild<QDockWidget*>("dock" + title)) {
    dock->show();
    dock->raise();
    panel.job->startButton()->setFocus(Qt::ShortcutFocusReason);
  }
  return panel;
}

}  // namespace shardscope
