// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/runs_columns.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QSignalBlocker>
#include <QStyle>
#include <algorithm>
#include <cmath>

#include "app/window/document/language.h"
#include "app/window/results/runs_model.h"
#include "app/window/widgets/fit_columns.h"

namespace shardscope::inline window {
namespace {

constexpr qsizetype kMostMeasured = 100'000;

const RunColumn& column_of(int column) {
  return run_columns()[static_cast<size_t>(column)];
}

}  // namespace

RunsColumns::RunsColumns(QTableView* view) : QObject(view), view_(view) {
  QHeaderView* header = view_->horizontalHeader();
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint& at) {
    QMenu* made = menu(view_);
    made->setAttribute(Qt::WA_DeleteOnClose);
    made->popup(header->mapToGlobal(at));
  });
  connect(header, &QHeaderView::sectionMoved, this, &RunsColumns::changed);
  connect(header, &QHeaderView::sortIndicatorChanged, this, &RunsColumns::changed);
  connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
    if (fitting_ || width == 0) return;
    widths_[column] = static_cast<int>(std::lround(width / scale_));
    Q_EMIT changed();
  });
}

int RunsColumns::widthOf(const QString& text, Weight weight) {
  auto& known = measured_[static_cast<size_t>(weight)];
  auto width = known.constFind(text);
  if (width == known.constEnd()) {
    if (known.size() > kMostMeasured) known.clear();
    QFont font = view_->font();
    font.setBold(weight == Weight::bold || font.bold());
    width = known.insert(text, static_cast<int>(std::ceil(QFontMetricsF(font).horizontalAdvance(text))));
  }
  return *width;
}

// What a cell has around its text, which is the style's own affair.
int RunsColumns::aroundText() {
  const QAbstractItemModel* model = view_->model();
  for (int row = 0; row < model->rowCount(); ++row) {
    const QModelIndex cell = model->index(row, RunsModel::mesh);
    if (!cell.data(RunsModel::kLineRole).isValid())
      return view_->sizeHintForIndex(cell).width() - widthOf(cell.data().toString(), Weight::plain);
  }
  return 0;
}

// What resizeColumnsToContents would make it, which lays each text out anew each time; most are as they were.
int RunsColumns::widest(int column, int around) {
  int out = 0;
  const QAbstractItemModel* model = view_->model();
  for (int row = 0; row < model->rowCount(); ++row) {
    const QModelIndex cell = model->index(row, column);
    if (cell.data(RunsModel::kLineRole).isValid()) continue;  // the line takes the whole row
    const QVariant font = cell.data(Qt::FontRole);
    const bool bold = font.isValid() && font.value<QFont>().bold();
    out = std::max(out, widthOf(cell.data().toString(), bold ? Weight::bold : Weight::plain));
  }
  return std::max(out + around, heading_width(*view_, column));
}

void RunsColumns::fit(double scale) {
  scale_ = scale;
  fitting_ = true;
  view_->ensurePolished();  // before it is shown: the style sheet says what a cell has round its text
  const QFontMetrics font = view_->fontMetrics();
  view_->verticalHeader()->setDefaultSectionSize(font.height() + std::max(8, font.height() / 2));
  if (measured_font_ != view_->font()) {
    measured_font_ = view_->font();
    for (auto& widths : measured_) widths.clear();
  }
  const int digit = font.averageCharWidth(), around = aroundText();
  for (int c = 0; c < RunsModel::column_count; ++c) {
    if (view_->isColumnHidden(c)) continue;
    const auto own = widths_.find(c);
    const int least = c == RunsModel::ratio ? digit * 16 : c == RunsModel::name ? digit * 10 : 0;
    const int most = RunsModel::editable(c) ? digit * 40 : digit * 200;
    view_->setColumnWidth(c, own != widths_.end() ? static_cast<int>(std::lround(own->second * scale_))
                                                  : std::clamp(widest(c, around), least, most));
  }
  fitting_ = false;
}

QJsonObject RunsColumns::state() const {
  QJsonArray order, hidden;
  QJsonObject widths;
  const QHeaderView* header = view_->horizontalHeader();
  for (int visual = 0; visual < RunsModel::column_count; ++visual) {
    const int column = header->logicalIndex(visual);
    const char* id = column_of(column).id;
    order.append(id);
    if (header->isSectionHidden(column)) hidden.append(id);
    if (const auto width = widths_.find(column); width != widths_.end()) widths[id] = width->second;
  }
  return {{"order", order},
          {"hidden", hidden},
          {"widths", widths},
          {"sort", column_of(header->sortIndicatorSection()).id},
          {"descending", header->sortIndicatorOrder() == Qt::DescendingOrder}};
}

void RunsColumns::restore(const QJsonObject& state) {
  const QSignalBlocker quiet(this);
  QHeaderView* header = view_->horizontalHeader();
  widths_.clear();
  fitting_ = true;
  const QJsonArray order = state["order"].toArray(), hidden = state["hidden"].toArray();
  for (int c = 0; c < RunsModel::column_count; ++c) header->moveSection(header->visualIndex(c), c);
  int place = 0;
  for (const auto& id : order) {
    const auto column = find_run_column(id.toString().toStdString());
    if (column.ok()) header->moveSection(header->visualIndex(static_cast<int>(*column)), place++);
  }
  for (int c = 0; c < RunsModel::column_count; ++c) {
    const RunColumn& column = column_of(c);
    const bool known = order.contains(QString(column.id));
    header->setSectionHidden(c, known ? hidden.contains(QString(column.id)) : !column.at_first);
    const QJsonValue width = state["widths"].toObject()[column.id];
    if (width.isDouble()) widths_[c] = std::clamp(width.toInt(), 16, 2000);
  }
  const auto sort = find_run_column(state["sort"].toString().toStdString());
  view_->sortByColumn(sort.ok() ? static_cast<int>(*sort) : int{RunsModel::ratio},
                      state["descending"].toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
  fit();
}

QMenu* RunsColumns::menu(QWidget* parent) {
  auto* menu = new QMenu("C&olumns", parent);
  QHeaderView* header = view_->horizontalHeader();
  for (int c = RunsModel::strategy; c < RunsModel::column_count; ++c) {
    QAction* action = menu->addAction(spoken(column_of(c).header));
    action->setToolTip(spoken(column_of(c).about));
    action->setCheckable(true);
    action->setChecked(!header->isSectionHidden(c));
    connect(action, &QAction::triggered, this, [this, header, c](bool on) {
      fitting_ = true;
      header->setSectionHidden(c, !on);
      fit();
      Q_EMIT changed();
    });
  }
  menu->addSeparator();
  connect(menu->addAction("As at &first"_tr), &QAction::triggered, this, [this] {
    restore({});
    Q_EMIT changed();
  });
  return menu;
}

}  // namespace shardscope::inline window
