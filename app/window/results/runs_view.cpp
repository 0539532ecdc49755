// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/runs_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/results/runs_model.h"

namespace shardscope::inline window {
namespace {

class RunsView : public QTableView {
 public:
  using QTableView::QTableView;

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    const bool all = event->matches(QKeySequence::SelectAll);
    switch (event->key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown:
      case Qt::Key_Home:
      case Qt::Key_End:
      case Qt::Key_Left:
      case Qt::Key_Right:
        return event->modifiers().testFlag(Qt::AltModifier) ? event->ignore()
                                                            : QTableView::keyPressEvent(event);
      default:
        if (all) return QTableView::keyPressEvent(event);
        event->ignore();
    }
  }
};

class RunsDelegate : public QStyledItemDelegate {
 public:
  explicit RunsDelegate(QTableView* view) : QStyledItemDelegate(view), view_(view) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QVariant line = index.data(RunsModel::kLineRole);
    if (line.isValid()) return paintLine(painter, option, index, line.toString());
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant bar = index.data(RunsModel::kBarRole);
    if (bar.isValid()) paintBar(painter, option, bar.toDouble());
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(RunsModel::kLineRole).isValid()) option->text.clear();
  }

 private:
  // From the left edge, as long as the time is beside the slowest, under the number.
  static void paintBar(QPainter* painter, const QStyleOptionViewItem& option, double part) {
    QColor color = option.palette.color(QPalette::Link);
    color.setAlphaF(0.28F);
    const QRect cell = option.rect.adjusted(0, option.rect.height() / 6, 0, -option.rect.height() / 6);
    const int width = std::max(2, static_cast<int>(part * cell.width()));
    painter->fillRect(QRect(cell.left(), cell.top(), width, cell.height()), color);
  }

  // Each cell shows its own stretch of the text, which stays at the left edge of what is seen.
  void paintLine(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                 const QString& line) const {
    QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem own = option;
    initStyleOption(&own, index);
    painter->save();
    painter->setClipRect(option.rect);
    painter->setFont(own.font);
    painter->setPen(own.palette.color(QPalette::Text));
    const int margin = option.fontMetrics.averageCharWidth();
    const QRect row(margin, option.rect.top(), view_->viewport()->width() - 2 * margin, option.rect.height());
    const QString fitting = QFontMetrics(own.font).elidedText(line, Qt::ElideRight, row.width());
    painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter, fitting);
    painter->restore();
  }

  QTableView* view_;
};

}  // namespace

QTableView* make_runs_view(QWidget* parent) {
  auto* view = new RunsView(parent);
  view->setObjectName("runsTable");
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->setShowGrid(false);
  view->setAlternatingRowColors(true);
  view->setWordWrap(false);
  view->setItemDelegate(new RunsDelegate(view));
  view->verticalHeader()->hide();
  view->horizontalHeader()->setStretchLastSection(false);
  view->horizontalHeader()->setSectionsMovable(true);
  view->horizontalHeader()->setHighlightSections(false);
  view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->setAccessibleName("Runs"_tr);
  return view;
}

}  // namespace shardscope::inline window
