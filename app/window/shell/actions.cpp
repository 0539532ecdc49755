// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/actions.h"

#include <QMenuBar>

#include "app/window/docks/dock_area.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/icons.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kTipProperty = "tip";  // without the key

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

QString tip_with_key(const KeyMap& keys, const QString& tip, const QString& id) {
  const QString key = keys.said(id);
  return key.isEmpty() ? tip : QString("%1 (%2)").arg(tip, key);
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
  collect(window.actions(), all);
  return all;
}

Actions::Actions(const Context& context) : context_(context) {
  context.preferences.keys().setRows(key_rows());
  for (const Command& row : commands()) {
    QMenu* menu = row.menu.isEmpty() ? nullptr : menu_at(context.window, row.menu);
    if (row.line) menu->addSeparator();
    if (row.fill) {
      QMenu* inside = menu->addMenu(row.title);
      QObject::connect(inside, &QMenu::aboutToShow, inside,
                       [fill = row.fill, context, inside] { fill(context, *inside); });
    } else {
      QAction* action = row.make ? row.make(context) : makeAction(row);
      action->setObjectName(row.id);
      menu != nullptr ? menu->addAction(action) : context.window.addAction(action);
      made_.push_back({row, action});
    }
  }
  readKeys();
  readState();
  QObject::connect(&context.preferences.keys(), &KeyMap::changed, &context.window, [this] { readKeys(); });
  when_made(context.docks, &context.window, [this](const DockArea::Made& made) { readTips(*made.widget); });
}

QAction* Actions::makeAction(const Command& row) const {
  auto* action = new QAction(row.title, &context_.window);
  action->setCheckable(row.on && row.on_title.isEmpty());
  QObject::connect(action, &QAction::triggered, action, [this, run = row.run] {
    run(context_);
    readState();
  });
  return action;
}

void Actions::readKeys() const {
  const KeyMap& keys = context_.preferences.keys();
  for (const auto& [row, action] : made_) {
    action->setShortcuts(keys.keys(row.id));
    action->setToolTip(
        tip_with_key(keys, row.tip.isEmpty() ? QString(row.title).remove('&') : row.tip, row.id));
  }
  readTips(context_.window);
}

void Actions::readTips(const QWidget& inside) const {
  for (QWidget* widget : inside.findChildren<QWidget*>()) {
    const QString id = widget->property(kCommandProperty).toString();
    if (id.isEmpty()) continue;
    if (!widget->property(kTipProperty).isValid()) widget->setProperty(kTipProperty, widget->toolTip());
    widget->setToolTip(
        tip_with_key(context_.preferences.keys(), widget->property(kTipProperty).toString(), id));
  }
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
  // The window's palette may still be that of the theme before.
  const auto ink_of = [](const Color& c) { return QColor(c.r, c.g, c.b); };
  const Color front = text_on(theme, theme.selection);  // the first button of all stands on that colour
  for (const auto& [row, action] : made_) {
    if (row.icon == nullptr) continue;
    const char* icon = row.on_icon != nullptr && row.on(context_) ? row.on_icon : row.icon;
    action->setIcon(make_icon(icon, ink_of(row.id == "run.all" ? front : theme.text), px));
  }
}

}  // namespace shardscope::inline window
