// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/runs_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/widgets/csv.h"

namespace shardscope {
namespace {

// Leaves every key but those that move and copy to the window, whose keys play and step.
class RowsView : public QTableView {
 public:
  using QTableView::QTableView;

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    switch (event->key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown:
      case Qt::Key_Home:
      case Qt::Key_End:
        return QTableView::keyPressEvent(event);
      default:
        event->ignore();
    }
  }
};

// A bar from the left edge, as long as the time is beside the slowest, under the number.
class BarDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant bar = index.data(RunsModel::kBarRole);
    if (!bar.isValid()) return;
    QColor color = option.palette.color(QPalette::Link);
    color.setAlphaF(0.28F);
    const QRect cell = option.rect.adjusted(0, option.rect.height() / 6, 0, -option.rect.height() / 6);
    const int width = std::max(2, static_cast<int>(bar.toDouble() * cell.width()));
    painter->fillRect(QRect(cell.left(), cell.top(), width, cell.height()), color);
  }
};

}  // namespace

RunsTable::RunsTable(QWidget* parent)
    : QWidget(parent),
      model_(new RunsModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      view_(new RowsView(this)),
      verdict_(new QLabel(this)),
      all_(new QCheckBox("all runs", this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(RunsModel::kSortRole);
  view_->setObjectName("runsTable");
  view_->setModel(sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(RunsModel::ratio, Qt::AscendingOrder);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->setWordWrap(false);
  view_->setItemDelegate(new BarDelegate(view_));
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setStretchLastSection(true);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->setAccessibleName("Runs");
  verdict_->setProperty("role", "verdict");
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setVerdict("");
  auto* below = new QHBoxLayout;
  below->setContentsMargins(0, 0, 8, 0);
  below->addWidget(verdict_, 1);
  below->addWidget(all_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(view_, 1);
  layout->addLayout(below);
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsTable::selectionChanged);
  all_->setToolTip("Show all runs of the workspace, not only this experiment's");
  connect(all_, &QCheckBox::toggled, this, &RunsTable::refill);
  connect(sorted_, &QAbstractItemModel::layoutChanged, this, &RunsTable::spanReasons);
}

void RunsTable::setRows(std::vector<RunSummary> rows, const std::set<int64_t>& current,
                        const std::vector<SkippedRun>& skipped, const std::map<int64_t, RunPtr>& known) {
  known_ = known;
  rows_ = std::move(rows);
  current_ = current;
  skipped_ = skipped;
  refill();
}

void RunsTable::refill() {
  const std::vector<int64_t> selected = selectedRuns();
  const bool all = all_->isChecked() || current_.empty();
  {
    const QSignalBlocker quiet(view_->selectionModel());
    model_->setRows(rows_, all ? std::set<int64_t>() : current_, skipped_, known_);
    spanReasons();
    const int row = fontMetrics().height() + std::max(8, fontMetrics().height() / 2);
    view_->verticalHeader()->setDefaultSectionSize(row);
    view_->resizeColumnsToContents();
    for (int c = 0; c < RunsModel::numerics; ++c) {
      view_->setColumnWidth(c, view_->columnWidth(c) + fontMetrics().averageCharWidth());
    }
    view_->setColumnWidth(RunsModel::ratio, std::max(view_->columnWidth(RunsModel::ratio),
                                                     fontMetrics().averageCharWidth() * 16));
    for (const int64_t id : selected) selectRun(id);
  }
  view_->viewport()->update();
}

// Why a strategy has no result takes the place of its numbers.
void RunsTable::spanReasons() {
  view_->clearSpans();
  for (int row = 0; row < sorted_->rowCount(); ++row) {
    if (sorted_->index(row, 0).data(RunsModel::kRunIdRole).toLongLong() < 0)
      view_->setSpan(row, RunsModel::time, 1, RunsModel::column_count - RunsModel::time);
  }
}

void RunsTable::setOld(const std::set<int64_t>& ids) {
  model_->setOld(ids);
  view_->resizeColumnToContents(RunsModel::strategy);
}

void RunsTable::setVerdict(const QString& text) {
  verdict_->setText(text.isEmpty()
                        ? "Runs appear here as they finish, the fastest first. Select several to compare them."
                        : text);
}

void RunsTable::selectRun(int64_t id) {
  for (int row = 0; row < sorted_->rowCount(); ++row) {
    const QModelIndex index = sorted_->index(row, 0);
    if (index.data(RunsModel::kRunIdRole).toLongLong() != id) continue;
    view_->selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    view_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
  }
}

std::vector<int64_t> RunsTable::selectedRuns() const {
  std::vector<int64_t> ids;
  for (const QModelIndex& index : view_->selectionModel()->selectedRows()) {
    const qlonglong id = index.data(RunsModel::kRunIdRole).toLongLong();
    if (id >= 0) ids.push_back(id);
  }
  return ids;
}

QString RunsTable::csv() const {
  QString out;
  for (int row = -1; row < sorted_->rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < sorted_->columnCount(); ++column) {
      cells << (row < 0 ? sorted_->headerData(column, Qt::Horizontal).toString()
                        : sorted_->index(row, column).data().toString());
    }
    out += csv_line(cells);
  }
  return out;
}

}  // namespace shardscope
