// SPDX-License-Identifier: Apache-2.0
#include "tests/language/shown_texts.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTabBar>
#include <QTextEdit>

#include "views/host/scene_view.h"

namespace shardscope {
namespace {

constexpr int kMostRows = 6;  // of a table: the others are made alike

void put(std::set<QString>& into, const QString& text) {
  if (!text.isEmpty()) into.insert(text);
}

void collect_action(const QAction& action, ShownTexts& into) {
  put(into[TextKind::command], action.text());
  put(into[TextKind::command], action.toolTip());
}

void collect_model(const QAbstractItemModel& model, std::set<QString>& into) {
  for (int column = 0; column < model.columnCount(); ++column) {
    for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
      put(into, model.headerData(column, Qt::Horizontal, role).toString());
    for (int row = 0; row < std::min(model.rowCount(), kMostRows); ++row) {
      for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
        put(into, model.index(row, column).data(role).toString());
    }
  }
}

void collect_widget(const QWidget& widget, std::set<QString>& into) {
  put(into, widget.toolTip());
  put(into, widget.accessibleName());
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) put(into, label->text());
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) put(into, button->text());
  if (const auto* line = qobject_cast<const QLineEdit*>(&widget)) put(into, line->placeholderText());
  if (const auto* text = qobject_cast<const QTextEdit*>(&widget); text != nullptr && text->isReadOnly())
    put(into, text->toPlainText());
  if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
    for (int i = 0; i < tabs->count(); ++i) {
      put(into, tabs->tabText(i));
      put(into, tabs->tabToolTip(i));
      put(into, tabs->accessibleTabName(i));
    }
  }
  if (const auto* box = qobject_cast<const QComboBox*>(&widget)) {
    for (int i = 0; i < box->count(); ++i) put(into, box->itemText(i));
  }
  if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget);
      view != nullptr && view->model() != nullptr && qobject_cast<const QHeaderView*>(&widget) == nullptr)
    collect_model(*view->model(), into);
}

void collect_scene(const Scene& scene, std::set<QString>& into) {
  for (const TextItem& text : scene.texts()) put(into, QString::fromStdString(text.text));
  for (const AccessibleItem& item : scene.accessible()) put(into, QString::fromStdString(item.name));
}

}  // namespace

void collect(QWidget& window, ShownTexts& into) {
  for (const QAction* action : window.findChildren<QAction*>()) collect_action(*action, into);
  for (const QMenu* menu : window.findChildren<QMenu*>()) put(into[TextKind::command], menu->title());
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    collect_widget(*widget, into[TextKind::widget]);
    if (auto* view = qobject_cast<SceneView*>(widget); view != nullptr && view->isVisible())
      collect_scene(view->scene(), into[TextKind::scene]);
  }
}

QStringList plain_words(const QString& text, const std::set<QString>& names) {
  // Names of arrays and files, code, and what stands in quotes or in tags hold together.
  static const QRegularExpression kCode(
      R"(<[^>]*>|&\w+;|'[^']*'|"[^"]*"|\(\*[^)]*\)|[\w%./\\-]*[._/=\\%\d{}][\w%./\\-]*|(Ctrl|Shift|Alt)(\+\w+)*|\b[A-Z]{2,}\w*\b)");
  static const QRegularExpression kWord(R"((?<![\w-])[A-Za-z]{3,}(-[A-Za-z]+)*(?![\w]))");
  static const std::set<QString> kUnits{"FLOP", "TFLOP", "GFLOP", "MFLOP", "KiB", "MiB", "GiB", "TiB"};
  QString rest = text;
  for (const QString& name : names) {
    if (name.contains(' ')) rest.replace(name, " ");
  }
  rest.replace(kCode, " ");
  QStringList out;
  for (auto it = kWord.globalMatch(rest); it.hasNext();) {
    const QString word = it.next().captured();
    if (!kUnits.contains(word) && !names.contains(word)) out << word;
  }
  return out;
}

QStringList clipped(QWidget& window) {
  QStringList out;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
    const auto* label = qobject_cast<const QLabel*>(widget);
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    const QString text = label != nullptr ? label->text() : button != nullptr ? button->text() : QString();
    if (text.isEmpty() || (label != nullptr && label->wordWrap())) continue;
    if (widget->sizeHint().width() > widget->width() + 1)
      out << QString("%1 (%2 of %3)").arg(text).arg(widget->width()).arg(widget->sizeHint().width());
  }
  return out;
}

}  // namespace shardscope
