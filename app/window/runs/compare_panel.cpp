// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/compare_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include "engine/report/run_difference.h"

namespace shardscope {

void OperationsModel::set(ShownComparisonPtr shown) {
  beginResetModel();
  shown_ = std::move(shown);
  table_ = {};
  if (shown_) table_ = operations_table(shown_->difference, all_others(shown_->difference), 0);
  endResetModel();
}

int OperationsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int OperationsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.header.size());
}

QVariant OperationsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto column = static_cast<size_t>(index.column());
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
    return QString::fromStdString(table_.rows[static_cast<size_t>(index.row())][column]);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter |
                            (table_.right_aligned[column] ? Qt::AlignRight : Qt::AlignLeft));
  return {};
}

QVariant OperationsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section >= columnCount()) return {};
  return QString::fromStdString(table_.header[static_cast<size_t>(section)]);
}

ComparePanel::ComparePanel(Clock& clock, QWidget* parent)
    : QWidget(parent),
      clock_(clock),
      canvas_(new CompareCanvas(clock, this)),
      line_up_(new QComboBox(this)),
      verdict_(new QLabel(this)),
      model_(new OperationsModel(this)),
      table_(new QTableView(this)),
      best_(new QPushButton("Compare the two best", this)),
      copy_(copyButton()) {
  connect(best_, &QPushButton::clicked, this, &ComparePanel::bestRequested);
  line_up_->addItems({"start", "end", "the chosen operation"});
  line_up_->setAccessibleName("Line the runs up by");
  connect(line_up_, &QComboBox::currentIndexChanged, this,
          [this](int index) { canvas_->setLineUp(static_cast<LineUp>(index)); });
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  table_->setModel(model_);
  table_->setAccessibleName("Operations of the compared runs");
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setAlternatingRowColors(true);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setHighlightSections(false);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) { canvas_->goTo(row.isValid() ? row.row() : -1); });
  connect(canvas_, &CompareCanvas::operationChosen, this, &ComparePanel::choose);
  connect(&clock_, &Clock::runChanged, this, &ComparePanel::read);

  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(8);
  line->addWidget(new QLabel("Line up", this));
  line->addWidget(line_up_);
  line->addWidget(verdict_, 1);
  line->addWidget(best_);
  line->addWidget(copy_);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(canvas_);
  split->addWidget(table_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  split->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(split, 1);
  read();
}

QToolButton* ComparePanel::copyButton() {
  auto* button = new QToolButton(this);
  button->setText("Copy as");
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(button);
  const auto add = [&](const char* title, Form form) {
    connect(menu->addAction(title), &QAction::triggered, this,
            [this, form] { QGuiApplication::clipboard()->setText(text(form)); });
  };
  add("CSV", Form::csv);
  add("Markdown", Form::markdown);
  add("LaTeX", Form::latex);
  add("Command", Form::command);
  button->setMenu(menu);
  return button;
}

QString ComparePanel::text(Form form) const {
  if (!read_) return {};
  const RunDifference& d = read_->difference;
  switch (form) {
    case Form::csv:
      return QString::fromStdString(difference_csv(d));
    case Form::markdown:
      return QString::fromStdString(difference_markdown(d));
    case Form::latex:
      return QString::fromStdString(difference_latex(d));
    case Form::command:
      return QString::fromStdString(difference_command(d, file_));
  }
  return {};
}

void ComparePanel::read() {
  copy_->setEnabled(clock_.comparison() != nullptr);
  best_->setVisible(clock_.comparison() == nullptr);
  if (read_ == clock_.comparison() && read_) return;
  read_ = clock_.comparison();
  {
    const QSignalBlocker quiet(line_up_);
    line_up_->setCurrentIndex(static_cast<int>(canvas_->viewport().line_up));
  }
  model_->set(read_);
  QString said;
  if (read_) {
    said = QString::fromStdString(read_->difference.verdict);
    for (const std::string& note : read_->difference.notes) said += " " + QString::fromStdString(note) + ".";
  }
  verdict_->setText(said);
  table_->setVisible(read_ != nullptr);
  table_->resizeColumnsToContents();
}

// Without going there: the canvas chose it.
void ComparePanel::choose(int operation) {
  const QSignalBlocker quiet(table_->selectionModel());
  if (operation < 0) return table_->clearSelection();
  table_->selectRow(operation);
  table_->scrollTo(model_->index(operation, 0));
  table_->viewport()->update();
}

void ComparePanel::setTheme(const Theme& theme) {
  canvas_->setTheme(theme);
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() +
                                                  std::max(6, fontMetrics().height() / 3));
  table_->resizeColumnsToContents();
}

}  // namespace shardscope
