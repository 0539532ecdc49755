// SPDX-License-Identifier: Apache-2.0
// The docks of the main window: their titles and where they stand.
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>

#include "app/window/chip/grouped_panel.h"
#include "app/window/chip/kernel_panel.h"
#include "app/window/shell/main_window.h"

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

}  // namespace

QDockWidget* MainWindow::dock(const QString& title, QWidget* widget) {
  auto* made = new QDockWidget(title, this);
  made->setObjectName("dock" + title);
  made->setWidget(widget);
  made->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable |
                    QDockWidget::DockWidgetClosable);
  // Floating, a dock needs its title to be moved by; in a group of tabs the tab is the title.
  connect(made, &QDockWidget::topLevelChanged, made, [made](bool floating) {
    if (floating) made->setTitleBarWidget(dock_title(made));
  });
  docks_.push_back(made);
  return made;
}

void MainWindow::makeDocks() {
  dock("Experiment", form_);
  dock("Sharding", grid_);
  dock("Ring", ring_);
  dock("Timeline", timeline_);
  dock("Memory", memory_);
  dock("Roofline", roofline_);
  dock("Program", program_);
  dock("Runs", runs_);
  dock("SQL", sql_);
  dock("Numerics", numerics_);
  dock("Tuner", tuner_);
  dock("Crossover", crossover_);
  dock("Error growth", growth_);
  dock("Kernel", kernel_);
  dock("Grouped matmul", new GroupedPanel(this));
  dock("HLO", hlo_);
}

// There is no central widget: the docks share the whole window. Where all of them side by side would be too
// small to read (large scale, small screen) the canvases share one place as tabs.
void MainWindow::arrangeDocks() {
  const auto at = [&](const char* title) { return findChild<QDockWidget*>(QString("dock") + title); };
  QDockWidget *experiment = at("Experiment"), *grid = at("Sharding"), *ring = at("Ring"),
              *timeline = at("Timeline"), *memory = at("Memory"), *roofline = at("Roofline"),
              *program = at("Program"), *runs = at("Runs"), *sql = at("SQL"), *numerics = at("Numerics"),
              *tuner = at("Tuner"), *crossover = at("Crossover"), *growth = at("Error growth"),
              *grouped = at("Grouped matmul"), *kernel = at("Kernel"), *hlo = at("HLO");
  compact_ = wantsCompact();
  arrangeToolBars();
  for (QDockWidget* each : docks_) removeDockWidget(each);
  addDockWidget(Qt::TopDockWidgetArea, experiment);
  std::vector<std::vector<QDockWidget*>> tabs;
  if (compact_) {
    splitDockWidget(experiment, timeline, Qt::Horizontal);
    splitDockWidget(timeline, runs, Qt::Vertical);
    tabs = {{timeline, grid, ring, kernel, program, memory, roofline, numerics, hlo},
            {runs, tuner, crossover, growth, grouped, sql}};
  } else {
    splitDockWidget(experiment, grid, Qt::Horizontal);
    splitDockWidget(grid, timeline, Qt::Vertical);
    splitDockWidget(timeline, runs, Qt::Vertical);
    splitDockWidget(grid, ring, Qt::Horizontal);
    splitDockWidget(timeline, program, Qt::Horizontal);
    tabs = {{timeline, kernel, memory, roofline, numerics, growth, grouped, hlo},
            {runs, tuner, crossover, sql}};
  }
  for (QDockWidget* each : docks_) {
    each->setTitleBarWidget(dock_title(each));
    each->show();
  }
  for (const auto& group : tabs) {
    for (size_t i = 1; i < group.size(); ++i) tabifyDockWidget(group[i - 1], group[i]);
    for (QDockWidget* tab : group) tab->setTitleBarWidget(no_title(tab));
    group.front()->raise();
  }
  // Whole names that scroll, rather than all of them cut short; and no row of tabs widens its docks.
  for (QTabBar* bar : findChildren<QTabBar*>()) {
    bar->setElideMode(Qt::ElideNone);
    bar->setUsesScrollButtons(true);
  }
  const int w = width();
  const int h = height();
  const int left = std::min(static_cast<int>(330 * preferences_.scale()), w * 40 / 100);
  // Their forms would like the whole window, and the experiment would pay for it.
  for (QDockWidget* panel : {tuner, crossover, growth, grouped, kernel, hlo})
    panel->widget()->setMinimumWidth(static_cast<int>(300 * preferences_.scale()));
  const int rest = w - left;
  if (compact_) {
    resizeDocks({experiment, timeline}, {left, rest}, Qt::Horizontal);
    resizeDocks({timeline, runs}, {h * 43 / 100, h * 36 / 100}, Qt::Vertical);
  } else {
    resizeDocks({experiment, grid, ring}, {left, rest * 55 / 100, rest * 45 / 100}, Qt::Horizontal);
    resizeDocks({timeline, program}, {rest * 7 / 10, rest * 3 / 10}, Qt::Horizontal);
    resizeDocks({grid, timeline, runs}, {h * 33 / 100, h * 31 / 100, h * 30 / 100}, Qt::Vertical);
  }
}

bool MainWindow::wantsCompact() const {
  return width() / preferences_.scale() < 1100 || height() / preferences_.scale() < 700;
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (compact_ != wantsCompact()) arrangeDocks();
}

}  // namespace shardscope
