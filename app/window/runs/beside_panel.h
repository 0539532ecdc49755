// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/workbench.h"
#include "app/window/runs/beside_canvas.h"
#include "app/window/runs/real_run.h"
#include "app/window/widgets/text_table_model.h"

namespace shardscope::inline window {

// The shown run beside a measured trace of the workspace: both timelines and bars, what is said of it, and
// the operations in a table that goes to them. What the workspace has, and what comes of a choice, is read
// beside the GUI thread.
class BesidePanel : public QWidget {
  Q_OBJECT
 public:
  explicit BesidePanel(Workbench& bench, QWidget* parent = nullptr);
  BesideCanvas* canvas() { return canvas_; }
  CanvasView* pictureCanvas() { return canvas_; }
  QTableView* table() { return table_; }
  QComboBox* traces() { return traces_; }
  QComboBox* steps() { return steps_; }
  QString sentence() const { return sentence_->text(); }
  QString refusal() const { return refusal_->text(); }
  // The shown run by MPI on this machine, or what is under way is cancelled.
  void runForReal();
  bool busy() const { return listing_ || reading_; }
  void setTheme(const Theme& theme);
  void listTraces();  // of the workspace, anew
  // What "Copy as" puts on the clipboard; empty without a trace.
  enum class Form { csv, markdown, command };
  QString text(Form form) const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fillTraces(const std::vector<MeasuredSummary>& traces);
  void follow();
  void read();
  void show(const ShownBesidePtr& shown);
  void refuse(const QString& reason);
  void fillSteps();
  void mark(int operation);
  QToolButton* copyButton();
  void setUpReal();

  Workbench& bench_;
  BesideCanvas* canvas_;
  QComboBox *traces_, *steps_;
  QLabel *sentence_, *refusal_;
  TextTableModel* model_;  // the operations of the residual, a row each in its order
  QTableView* table_;
  QToolButton *copy_, *run_for_real_ = nullptr;
  QProgressBar* progress_ = nullptr;
  RealRun real_;
  qlonglong newest_ = 0;  // the trace that was just measured: it is chosen
  ShownRunPtr run_;
  std::shared_ptr<const MeasuredTrace> trace_;
  bool listing_ = false, reading_ = false;
  Background listing_work_, reading_work_;  // last: their threads end first
};

}  // namespace shardscope::inline window
