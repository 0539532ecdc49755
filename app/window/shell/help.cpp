// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/help.h"

#include <QApplication>
#include <QKeyEvent>

#include "app/window/docks/dock_area.h"
#include "app/window/settings/view_keys.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"

namespace shardscope::inline window {

namespace {

// Of the view or the dialog that the topic is about, as its tables have them now.
QString columns_of_topic(const Context& c, const QString& topic) {
  if (const DockArea::Made* made = c.docks.make(topic)) return columns_help(*made->widget);
  for (const QWidget* each : QApplication::allWidgets())
    if (each->property(kHelpProperty) == topic && each->isVisible()) return columns_help(*each);
  return {};
}

}  // namespace

QString help_topic_of(const Context& c, const QWidget* focus) {
  if (QString own = topic_of(focus); !own.isEmpty()) return own;
  return "page." + c.docks.page();
}

HelpWindow* show_help(const Context& c, const QString& topic) {
  auto* help = c.window.findChild<HelpWindow*>("help");
  // One that stands behind a dialog that waits for an answer could not be used.
  QWidget* dialog = QApplication::activeModalWidget();
  if (help != nullptr && dialog != nullptr && help->parentWidget() != dialog) {
    help->close();
    help = nullptr;
  }
  if (help == nullptr) {
    help = new HelpWindow(c.preferences.keys(), dialog != nullptr ? dialog : &c.window);
    QObject::connect(help, &HelpWindow::goRequested, &c.window,
                     [c](const QString& dock) { c.docks.go(dock); });
    help->setColumns([c](const QString& of) { return columns_of_topic(c, of); });
  }
  help->search()->clear();
  help->open(topic);
  help->show();
  help->raise();
  help->activateWindow();
  return help;
}

HelpKey::HelpKey(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  qApp->installEventFilter(this);
}

bool HelpKey::eventFilter(QObject* watched, QEvent* event) {
  const bool asks = event->type() == QEvent::ShortcutOverride;  // whether it is the window's command
  if (event->type() != QEvent::KeyPress && !asks) return false;
  const auto* widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || widget->window() == &context_.window) return false;
  const QKeySequence key = pressed(*static_cast<QKeyEvent*>(event));
  if (!context_.preferences.keys().keys("help.this").contains(key)) return false;
  const QString topic = topic_of(widget);
  if (topic.isEmpty()) return false;
  event->accept();
  if (asks) return true;
  if (widget->window()->windowType() == Qt::Popup) widget->window()->close();
  show_help(context_, topic);
  return true;
}

}  // namespace shardscope::inline window
