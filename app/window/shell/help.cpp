// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/help.h"

#include <QApplication>
#include <QKeyEvent>

#include "app/window/docks/dock_area.h"
#include "app/window/settings/view_keys.h"

namespace shardscope {

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

}  // namespace shardscope
