// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/actions.h"

#include <QMenuBar>

#include "app/window/document/language.h"
#include "app/window/widgets/icons.h"

namespace shardscope {
namespace {

// The menu at "&Run/&HLO module", each named as the language does; what is missing on the way is made.
QMenu* menu_at(QMainWindow& window, const QString& path) {
  QMenu* menu = nullptr;
  for (const QString& english : path.split('/')) {
    const QString title = spoken(english);
    const QList<QAction*> there = menu == nullptr ? window.menuBar()->actions() : menu->actions();
    QMenu* next = nullptr;
    for (const QAction* each : there) {
      if (each->text() == title) next = each->menu();
    }
    if (next == nullptr) next = menu == nullptr ? window.menuBar()->addMenu(title) : menu->addMenu(title);
    menu = next;
  }
  return menu;
}

void collect(const QList<QAction*>& from, QList<QAction*>& out) {
  for (QAction* each : from) {
    if (each->menu() != nullptr) {
      collect(each->menu()->actions(), out);
    } else if (!each->objectName().isEmpty()) {
      out << each;
    }
  }
}

}  // namespace

QList<QAction*> window_actions(const QMainWindow& window) {
  QList<QAction*> all;
  collect(window.menuBar()->actions(), all);
  return all;
}

Actions::Actions(const Context& context) : context_(context) {
  for (const Command& row : commands()) {
    QMenu* menu = menu_at(context.window, row.menu);
    if (row.line) menu->addSeparator();
    if (row.actions) {
      menu->addActions(row.actions(context));
    } else if (row.fill) {
      QMenu* inside = menu->addMenu(row.title);
      QObject::connect(inside, &QMenu::aboutToShow, inside,
                       [fill = row.fill, context, inside] { fill(context, *inside); });
    } else {
      QAction* action = makeAction(row);
      menu->addAction(action);
      made_.push_back({row, action});
    }
  }
  readState();
}

QAction* Actions::makeAction(const Command& row) const {
  auto* action = new QAction(row.title, &context_.window);
  action->setObjectName(row.id);
  action->setShortcuts(row.keys);
  action->setCheckable(row.on && row.on_title.isEmpty());
  const QString key =
      row.keys.isEmpty() ? QString() : " (" + row.keys.front().toString(QKeySequence::NativeText) + ")";
  if (!row.tip.isEmpty() || !key.isEmpty())
    action->setToolTip((row.tip.isEmpty() ? QString(row.title).remove('&') : row.tip) + key);
  QObject::connect(action, &QAction::triggered, action, [this, run = row.run] {
    run(context_);
    readState();
  });
  return action;
}

void Actions::readState() const {
  for (const auto& [row, action] : made_) {
    if (row.can) action->setEnabled(row.can(context_));
    if (row.on && row.on_title.isEmpty()) action->setChecked(row.on(context_));
    if (row.name) action->setText(row.name(context_));
    if (row.on && !row.on_title.isEmpty()) action->setText(row.on(context_) ? row.on_title : row.title);
  }
}

void Actions::setIcons(const Theme& theme, int px) const {
  const QColor ink = context_.window.palette().color(QPalette::ButtonText);
  const Color front = text_on(theme, theme.selection);  // the first button of all stands on that colour
  for (const auto& [row, action] : made_) {
    if (row.icon == nullptr) continue;
    const char* icon = row.on_icon != nullptr && row.on(context_) ? row.on_icon : row.icon;
    action->setIcon(make_icon(icon, row.id == "run.all" ? QColor(front.r, front.g, front.b) : ink, px));
  }
}

}  // namespace shardscope
