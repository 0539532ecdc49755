// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/arrangement.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLayout>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <vector>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

using Row = std::vector<Place>;
using Column = std::vector<Row>;

// For a dock whose tab is its title.
QWidget* no_title(QWidget* parent) {
  auto* empty = new QWidget(parent);
  auto* layout = new QHBoxLayout(empty);  // gives it a size: none
  layout->setContentsMargins(0, 0, 0, 0);
  return empty;
}

// Qt's own title clips descenders. Mouse events pass through to the dock, which is moved by them.
QWidget* dock_title(QDockWidget* dock) {
  auto* title = new QWidget(dock);
  title->setObjectName("dockTitle");
  title->setAttribute(Qt::WA_StyledBackground);
  auto* name = new QLabel(dock->windowTitle(), title);
  QObject::connect(dock, &QDockWidget::windowTitleChanged, name, &QLabel::setText);
  auto* layout = new QHBoxLayout(title);
  layout->setContentsMargins(0, 0, 4, 0);
  layout->addWidget(name, 1);
  const auto button = [&](QStyle::StandardPixmap icon, const QString& tip) {
    auto* made = new QToolButton(title);
    made->setIcon(dock->style()->standardIcon(icon));
    made->setToolTip(tip);
    made->setAccessibleName(tip + ": " + dock->windowTitle());
    made->setFocusPolicy(Qt::NoFocus);
    layout->addWidget(made);
    return made;
  };
  QObject::connect(button(QStyle::SP_TitleBarNormalButton, "Float this view, or put it back"_tr),
                   &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
  QObject::connect(button(QStyle::SP_TitleBarCloseButton, "Hide this view; View > Go to brings it back"_tr),
                   &QToolButton::clicked, dock, &QWidget::hide);
  return title;
}

// The places that have docks.
std::vector<Column> columns_of(const Groups& groups) {
  using enum Place;
  std::vector<Column> out;
  for (const Column& all :
       {Column{{left}}, Column{{upper, upper_right}, {middle, middle_right}, {lower, lower_right}},
        Column{{right}}}) {
    Column column;
    for (const Row& row : all) {
      Row some;
      std::copy_if(row.begin(), row.end(), std::back_inserter(some),
                   [&](Place place) { return !groups[static_cast<size_t>(place)].isEmpty(); });
      if (!some.empty()) column.push_back(some);
    }
    if (!column.empty()) out.push_back(column);
  }
  return out;
}

class Arranger {
 public:
  Arranger(QMainWindow& area, const Groups& groups)
      : area_(area), groups_(groups), columns_(columns_of(groups)) {}

  void split() const {
    area_.addDockWidget(Qt::TopDockWidgetArea, front(columns_[0][0][0]));
    for (size_t c = 1; c < columns_.size(); ++c)
      beside(columns_[c - 1][0][0], columns_[c][0][0], Qt::Horizontal);
    for (const Column& column : columns_) {
      for (size_t r = 1; r < column.size(); ++r) beside(column[r - 1][0], column[r][0], Qt::Vertical);
    }
    for (const Column& column : columns_) {
      for (const Row& row : column) {
        for (size_t i = 1; i < row.size(); ++i) beside(row[i - 1], row[i], Qt::Horizontal);
      }
    }
  }

  void share(const Shares& shares) const {
    const std::array<int, 3>& heights = shares.heights;
    const int width = area_.width(), height = area_.height();
    int rest = width;
    for (const Column& column : columns_) rest -= side(column, width, shares);
    QList<QDockWidget*> across, down;
    QList<int> widths, rows;
    for (const Column& column : columns_) {
      const int own = side(column, width, shares);
      int sum = 0;
      for (const Row& row : column) sum += weight(row, heights);
      for (const Row& row : column) {
        for (size_t i = 0; i < row.size(); ++i) {
          const int percent = row.size() == 1 ? 100 : i == 0 ? first(row) : 100 - first(row);
          across << front(row[i]);
          widths << (own > 0 ? own : rest * percent / 100);
          down << front(row[i]);
          rows << height * weight(row, heights) / sum;
        }
      }
    }
    area_.resizeDocks(across, widths, Qt::Horizontal);
    area_.resizeDocks(down, rows, Qt::Vertical);
  }

 private:
  QDockWidget* front(Place place) const { return groups_[static_cast<size_t>(place)].front(); }
  void beside(Place a, Place b, Qt::Orientation way) const { area_.splitDockWidget(front(a), front(b), way); }
  // Of a column of forms; 0: it takes what they leave.
  static int side(const Column& column, int width, const Shares& shares) {
    const auto most = [&](double at_base, int percent) {
      return std::min(static_cast<int>(at_base * shares.scale), width * percent / 100);
    };
    if (column[0][0] == Place::left) return shares.halves ? width * 46 / 100 : most(330, 38);
    if (column[0][0] == Place::right) return most(280, 30);
    return 0;
  }
  static int first(const Row& row) { return row[0] == Place::upper ? 40 : 66; }  // percent
  // A row that stands for two, where the form has fewer, is as high as the upper one.
  static int weight(const Row& row, const std::array<int, 3>& heights) {
    if (row[0] == Place::lower || row[0] == Place::lower_right) return heights[2];
    const bool upper = row[0] == Place::upper || row[0] == Place::upper_right;
    return upper || heights[1] == 0 ? heights[0] : heights[1];
  }

  QMainWindow& area_;
  const Groups& groups_;
  const std::vector<Column> columns_;
};

}  // namespace

void arrange_docks(QMainWindow& area, const Groups& groups, const Shares& shares) {
  const Arranger arranger(area, groups);
  area.layout()->setEnabled(false);  // once for all, not for each that is shown
  arranger.split();
  for (const auto& tabs : groups) {
    for (qsizetype i = 1; i < tabs.size(); ++i) area.tabifyDockWidget(tabs[i - 1], tabs[i]);
    for (QDockWidget* tab : tabs) tab->show();
    if (!tabs.isEmpty()) tabs.front()->raise();
  }
  area.layout()->setEnabled(true);
  area.layout()->activate();
  arranger.share(shares);
}

void scale_sides(QMainWindow& area, const QList<QDockWidget*>& sides, double factor) {
  constexpr double kMost = 0.45;  // of the window, each
  if (factor == 1) return;
  QList<int> widths;
  for (const QDockWidget* dock : sides)
    widths << static_cast<int>(
        std::min(dock->width() * factor, std::max<double>(dock->width(), area.width() * kMost)));
  area.resizeDocks(sides, widths, Qt::Horizontal);
}

void fit_titles(QMainWindow& area, const QList<QDockWidget*>& docks) {
  for (QDockWidget* dock : docks) {
    const bool tab = !dock->isFloating() && !area.tabifiedDockWidgets(dock).isEmpty();
    QWidget* title = dock->titleBarWidget();
    if (title != nullptr && (title->objectName() == "dockTitle") == !tab) continue;
    dock->setTitleBarWidget(tab ? no_title(dock) : dock_title(dock));
    delete title;
  }
  // Whole names that scroll, rather than all of them cut short; and no row of tabs widens its docks.
  for (QTabBar* bar : area.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    bar->setElideMode(Qt::ElideNone);
    bar->setUsesScrollButtons(true);
    bar->setFocusPolicy(Qt::TabFocus);
    bar->setAccessibleName("Views that share a place"_tr);
  }
}

}  // namespace shardscope::inline window
