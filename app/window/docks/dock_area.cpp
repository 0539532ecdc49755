// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/dock_area.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <array>

namespace shardscope {
namespace {

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
  auto* detach = new QToolButton(title);
  detach->setIcon(dock->style()->standardIcon(QStyle::SP_TitleBarNormalButton));
  detach->setToolTip("Float this view, or put it back");
  detach->setFocusPolicy(Qt::NoFocus);
  QObject::connect(detach, &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
  auto* layout = new QHBoxLayout(title);
  layout->setContentsMargins(0, 0, 4, 0);
  layout->addWidget(name, 1);
  layout->addWidget(detach);
  return title;
}

QDockWidget* make_dock(const Dock& row, QWidget* widget, QMainWindow& window) {
  auto* dock = new QDockWidget(row.title, &window);
  dock->setObjectName("dock." + row.id);
  dock->setWidget(widget);
  dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable |
                    QDockWidget::DockWidgetClosable);
  dock->toggleViewAction()->setObjectName("show." + row.id);
  // Floating, a dock needs its title to be moved by; in a group of tabs the tab is the title.
  QObject::connect(dock, &QDockWidget::topLevelChanged, dock, [dock](bool floating) {
    if (floating) dock->setTitleBarWidget(dock_title(dock));
  });
  return dock;
}

using Groups = std::array<QList<QDockWidget*>, kPlaces>;

QDockWidget* front(const Groups& groups, Place place) {
  return groups[static_cast<size_t>(place)].front();
}

void split(QMainWindow& window, const Groups& groups, bool compact) {
  using enum Place;
  const auto beside = [&](Place a, Place b, Qt::Orientation way) {
    window.splitDockWidget(front(groups, a), front(groups, b), way);
  };
  window.addDockWidget(Qt::TopDockWidgetArea, front(groups, left));
  beside(left, compact ? middle : upper, Qt::Horizontal);
  if (!compact) beside(upper, middle, Qt::Vertical);
  beside(middle, lower, Qt::Vertical);
  if (compact) return;
  beside(upper, upper_right, Qt::Horizontal);
  beside(middle, middle_right, Qt::Horizontal);
}

void share(QMainWindow& window, const Groups& groups, bool compact, double scale) {
  using enum Place;
  const auto at = [&](Place place) { return front(groups, place); };
  const int w = window.width(), h = window.height();
  const int form = std::min(static_cast<int>(330 * scale), w * 40 / 100), rest = w - form;
  if (compact) {
    window.resizeDocks({at(left), at(middle)}, {form, rest}, Qt::Horizontal);
    window.resizeDocks({at(middle), at(lower)}, {h * 43 / 100, h * 36 / 100}, Qt::Vertical);
    return;
  }
  window.resizeDocks({at(left), at(upper), at(upper_right)}, {form, rest * 55 / 100, rest * 45 / 100},
                     Qt::Horizontal);
  window.resizeDocks({at(middle), at(middle_right)}, {rest * 7 / 10, rest * 3 / 10}, Qt::Horizontal);
  window.resizeDocks({at(upper), at(middle), at(lower)}, {h * 33 / 100, h * 31 / 100, h * 30 / 100},
                     Qt::Vertical);
}

}  // namespace

DockArea::DockArea(const Context& context) {
  for (const Dock& row : docks()) {
    QWidget* widget = row.make(context);
    QDockWidget* dock = make_dock(row, widget, context.window);
    made_.push_back({&row, dock, widget});
    if (!row.tall) continue;
    QObject::connect(dock, &QDockWidget::visibilityChanged, dock,
                     [this, dock, &window = context.window, roomy = false](bool visible) mutable {
                       if (!visible || dock->isFloating() || !window.isVisible() || roomy) return;
                       roomy = true;
                       giveRoom(window, *dock);
                     });
  }
}

// Before what they show.
DockArea::~DockArea() {
  for (const Made& made : made_) delete made.dock;
}

const DockArea::Made* DockArea::find(const QString& id) const {
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) { return m.row->id == id; });
  return found == made_.end() ? nullptr : &*found;
}

const DockArea::Made* DockArea::at(const QWidget* widget) const {
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) {
    return widget != nullptr && (m.widget == widget || m.widget->isAncestorOf(widget));
  });
  return found == made_.end() ? nullptr : &*found;
}

const DockArea::Made* DockArea::go(const QString& id) const {
  const Made* made = find(id);
  if (made == nullptr) return nullptr;
  made->dock->show();
  made->dock->raise();
  if (made->row->job) made->row->job(made->widget)->startButton()->setFocus(Qt::ShortcutFocusReason);
  return made;
}

void DockArea::setTheme(const Theme& theme) const {
  for (const Made& made : made_) {
    if (made.row->set_theme) made.row->set_theme(made.widget, theme);
  }
}

QJsonObject DockArea::views() const {
  QJsonObject out;
  for (const Made& made : made_)
    if (made.row->state) out[made.row->id] = made.row->state(made.widget);
  return out;
}

void DockArea::restoreViews(const QJsonObject& state) const {
  for (const Made& made : made_) {
    if (made.row->restore && state.contains(made.row->id))
      made.row->restore(made.widget, state[made.row->id].toObject());
  }
}

bool DockArea::wantsCompact(const QMainWindow& window, double scale) {
  return window.width() / scale < 1100 || window.height() / scale < 700;
}

void DockArea::arrange(QMainWindow& window, double scale) {
  compact_ = wantsCompact(window, scale);
  groups_ = {};
  for (const Made& made : made_) {
    window.removeDockWidget(made.dock);
    groups_[static_cast<size_t>(compact_ ? made.row->compact : made.row->wide)].push_back(made.dock);
  }
  split(window, groups_, compact_);
  for (const Made& made : made_) {
    made.dock->setTitleBarWidget(dock_title(made.dock));
    made.dock->show();
  }
  for (const auto& tabs : groups_) {
    // Forms would like the whole window, and the experiment would pay for it.
    for (QDockWidget* tab : tabs)
      tab->widget()->setMinimumWidth(tabs.size() < 2 ? 0 : static_cast<int>(300 * scale));
    if (tabs.size() < 2) continue;
    for (qsizetype i = 1; i < tabs.size(); ++i) window.tabifyDockWidget(tabs[i - 1], tabs[i]);
    for (QDockWidget* tab : tabs) tab->setTitleBarWidget(no_title(tab));
    tabs.front()->raise();
  }
  // Whole names that scroll, rather than all of them cut short; and no row of tabs widens its docks.
  for (QTabBar* bar : window.findChildren<QTabBar*>()) {
    bar->setElideMode(Qt::ElideNone);
    bar->setUsesScrollButtons(true);
  }
  share(window, groups_, compact_, scale);
}

void DockArea::giveRoom(QMainWindow& window, QDockWidget& dock) const {
  const int wanted = window.height() * 60 / 100, rest = window.height() * 18 / 100;
  if (dock.height() >= wanted) return;
  QList<QDockWidget*> column{&dock, front(groups_, Place::lower)};
  QList<int> heights{wanted, rest};
  if (!compact_) {
    column << front(groups_, Place::upper);
    heights << rest;
  }
  window.resizeDocks(column, heights, Qt::Vertical);
}

}  // namespace shardscope
