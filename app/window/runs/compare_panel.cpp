// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/compare_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"
#include "engine/report/run_difference.h"

namespace shardscope::inline window {

void OperationsModel::set(const ShownComparisonPtr& shown, std::optional<Term> term) {
  operations_.clear();
  if (!shown) return TextTableModel::set({});
  const RunDifference& d = shown->difference;
  operations_ = operations_in(d, term);
  TextTableModel::set(term ? term_table(d, all_others(d), *term) : operations_table(d, all_others(d), 0));
}

int OperationsModel::operation(int row) const {
  return row >= 0 && row < std::ssize(operations_) ? operations_[static_cast<size_t>(row)] : -1;
}

int OperationsModel::row_of(int operation) const {
  const auto found = std::ranges::find(operations_, operation);
  return found == operations_.end() ? -1 : static_cast<int>(found - operations_.begin());
}

ComparePanel::ComparePanel(Clock& clock, QWidget* parent)
    : QWidget(parent),
      clock_(clock),
      canvas_(new CompareCanvas(clock, this)),
      line_up_(new QComboBox(this)),
      of_term_(new QComboBox(this)),
      verdict_(new QLabel(this)),
      model_(new OperationsModel(this)),
      table_(text_table_view(model_, "Operations of the compared runs"_tr, this)),
      best_(new QPushButton("Compare the two best"_tr, this)),
      copy_(copyButton()) {
  connect(best_, &QPushButton::clicked, this, &ComparePanel::bestRequested);
  line_up_->addItems({"start"_tr, "end"_tr, "the chosen operation"_tr});
  line_up_->setAccessibleName("Line the runs up by"_tr);
  connect(line_up_, &QComboBox::currentIndexChanged, this,
          [this](int index) { canvas_->setLineUp(static_cast<LineUp>(index)); });
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) { canvas_->goTo(model_->operation(row.row())); });
  connect(canvas_, &CompareCanvas::operationChosen, this, &ComparePanel::choose);
  connect(canvas_, &CompareCanvas::barChosen, this,
          [this](int term) { of_term_->setCurrentIndex(term + 1); });
  connect(&clock_, &Clock::runChanged, this, &ComparePanel::read);

  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(8);
  line->addWidget(new QLabel("Line up"_tr, this));
  line->addWidget(line_up_);
  line->addWidget(verdict_, 1);
  line->addWidget(best_);
  line->addWidget(copy_);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(canvas_);
  auto* below = new QWidget(this);
  auto* rows = new QVBoxLayout(below);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(tableBar());
  rows->addWidget(table_, 1);
  split->addWidget(below);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setSizes({300, 200});
  split->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(split, 1);
  read();
}

// Which operations the table has, and the way through the events of the chosen one.
QWidget* ComparePanel::tableBar() {
  table_bar_ = new QWidget(this);
  of_term_->addItem("all operations"_tr);
  for (const Term term : kTerms) of_term_->addItem("what is behind %1"_tr.arg(spoken(name(term))));
  of_term_->setAccessibleName("Operations in the table"_tr);
  of_term_->setToolTip("All, or those that make up one term; a click on a bar chooses its own"_tr);
  connect(of_term_, &QComboBox::currentIndexChanged, this, &ComparePanel::fill);
  auto* before =
      small_button("◂ Previous"_tr, "The event before, of the chosen operation (,)"_tr, table_bar_);
  auto* after = small_button("Next ▸"_tr, "The next event of the chosen operation (.)"_tr, table_bar_);
  before->setAccessibleName("Previous event of the chosen operation"_tr);
  after->setAccessibleName("Next event of the chosen operation"_tr);
  connect(before, &QToolButton::clicked, this, [this] { canvas_->walk(-1); });
  connect(after, &QToolButton::clicked, this, [this] { canvas_->walk(1); });
  auto* line = new QHBoxLayout(table_bar_);
  line->setContentsMargins(8, 3, 8, 3);
  line->setSpacing(8);
  line->addWidget(of_term_);
  line->addWidget(before);
  line->addWidget(after);
  line->addStretch(1);
  return table_bar_;
}

QToolButton* ComparePanel::copyButton() {
  auto* button = new QToolButton(this);
  button->setText("Copy as"_tr);
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
  copy_->setEnabled(clock_.of(Subject::runs).comparison != nullptr);
  best_->setVisible(clock_.of(Subject::runs).comparison == nullptr);
  if (read_ == clock_.of(Subject::runs).comparison && read_) return;
  read_ = clock_.of(Subject::runs).comparison;
  {
    const QSignalBlocker quiet(line_up_);
    line_up_->setCurrentIndex(static_cast<int>(canvas_->viewport().line_up));
  }
  fill();
  QString said;
  if (read_) {
    said = QString::fromStdString(read_->difference.verdict);
    for (const std::string& note : read_->difference.notes) said += " " + QString::fromStdString(note) + ".";
  }
  verdict_->setText(said);
  table_->setVisible(read_ != nullptr);
  table_bar_->setVisible(read_ != nullptr);
}

void ComparePanel::fill() {
  const int term = of_term_->currentIndex() - 1;
  const QSignalBlocker quiet(table_->selectionModel());
  model_->set(read_, term < 0 ? std::nullopt : std::optional(kTerms[static_cast<size_t>(term)]));
  fit_columns(*table_);
}

// Without going there: the canvas chose it.
void ComparePanel::choose(int operation) {
  const QSignalBlocker quiet(table_->selectionModel());
  const int row = model_->row_of(operation);
  if (row < 0) return table_->clearSelection();
  table_->selectRow(row);
  table_->scrollTo(model_->index(row, 0));
  table_->viewport()->update();
}

void ComparePanel::setTheme(const Theme& theme) {
  canvas_->setTheme(theme);
  fit_table(*table_);
}

}  // namespace shardscope::inline window
