// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <optional>
#include <vector>

#include "app/window/runs/compare_canvas.h"
#include "app/window/widgets/text_table_model.h"
#include "engine/report/difference_table.h"

namespace shardscope::inline window {

// The operations of a comparison, a row each; the first column is its name. Of one term: what of it each has.
class OperationsModel : public TextTableModel {
  Q_OBJECT
 public:
  using TextTableModel::TextTableModel;
  void set(const ShownComparisonPtr& shown, std::optional<Term> term);
  int operation(int row) const;     // place in RunDifference::operations; -1: a sum
  int row_of(int operation) const;  // -1: not among them

 private:
  std::vector<int> operations_;  // of the first rows
};

// The clock's comparison: timelines and bars, the verdict, and the operations in a table that goes to them.
class ComparePanel : public QWidget {
  Q_OBJECT
 public:
  explicit ComparePanel(Clock& clock, QWidget* parent = nullptr);
  CompareCanvas* canvas() { return canvas_; }
  CanvasView* pictureCanvas() { return canvas_; }
  QTableView* table() { return table_; }
  OperationsModel* model() { return model_; }
  QComboBox* ofTerm() { return of_term_; }
  QString verdict() const { return verdict_->text(); }
  void setWorkspaceFile(const std::string& path) { file_ = path; }  // that commands name
  void setTheme(const Theme& theme);
  // What "Copy as" puts on the clipboard; empty without a comparison.
  enum class Form { csv, markdown, latex, command };
  QString text(Form form) const;

 Q_SIGNALS:
  void bestRequested();  // the two best runs, while nothing is compared

 private:
  void read();
  void choose(int operation);
  void fill();
  QToolButton* copyButton();
  QWidget* tableBar();

  Clock& clock_;
  ShownComparisonPtr read_;
  std::string file_;
  CompareCanvas* canvas_;
  QComboBox *line_up_, *of_term_;
  QLabel* verdict_;
  OperationsModel* model_;
  QTableView* table_;
  QWidget* table_bar_ = nullptr;
  QPushButton* best_;
  QToolButton* copy_;
};

}  // namespace shardscope::inline window
