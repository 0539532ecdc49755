// SPDX-License-Identifier: Apache-2.0
#include "tests/app/agree/screen_words.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QTabBar>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QToolBar>

#include "app/window/text/line_sheet.h"
#include "views/host/scene_view.h"

namespace shardscope::screen_agree_test {
namespace {

std::string plain(const QString& text) {
  const QString out = Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
  return out.simplified().toStdString();
}

// Dock, bar or dialog, then the names of the widget and those round it that have one.
std::string place_of(const QWidget* widget) {
  QStringList names;
  for (const QWidget* w = widget; w != nullptr && !w->isWindow(); w = w->parentWidget()) {
    const bool bar = qobject_cast<const QDockWidget*>(w) || qobject_cast<const QToolBar*>(w) ||
                     qobject_cast<const QStatusBar*>(w);
    QString name = w->objectName();
    if (name.isEmpty() && bar) name = w->metaObject()->className();
    if (!name.isEmpty() && !name.startsWith("qt_")) names.prepend(name);
    if (bar) break;
  }
  if (names.isEmpty()) names << widget->metaObject()->className();
  return names.join('/').toStdString();
}

// Docks behind another stand outside of their area, and what was scrolled away outside of its viewport.
bool in_sight(const QWidget* widget) {
  if (!widget->isVisible()) return false;
  QRect seen = widget->rect();
  for (const QWidget* w = widget; !w->isWindow(); w = w->parentWidget())
    seen = seen.translated(w->pos()) & w->parentWidget()->rect();
  return !seen.isEmpty();
}

class Reader {
 public:
  std::vector<ScreenText> texts;

  void read(const QWidget* widget) {
    if (!in_sight(widget)) return;
    words_of(widget);
    for (const QObject* child : widget->children())
      if (const auto* inner = qobject_cast<const QWidget*>(child); inner && !inner->isWindow()) read(inner);
  }

 private:
  void add(const QWidget* widget, const std::string& text) {
    if (!text.empty()) texts.push_back({place_of(widget), text});
  }

  void words_of(const QWidget* widget) {
    if (const auto* w = qobject_cast<const QLabel*>(widget)) add(w, plain(w->text()));
    if (const auto* w = qobject_cast<const QAbstractButton*>(widget))
      add(w, plain(w->text().remove(QChar(0x26))));
    if (const auto* w = qobject_cast<const QLineEdit*>(widget)) add(w, plain(w->text()));
    if (const auto* w = qobject_cast<const QComboBox*>(widget)) add(w, plain(w->currentText()));
    if (const auto* w = qobject_cast<const QStatusBar*>(widget)) add(w, plain(w->currentMessage()));
    if (const auto* w = qobject_cast<const QTabBar*>(widget)) tabs(w);
    if (const auto* w = qobject_cast<const QTextEdit*>(widget)) add(w, plain(w->toPlainText()));
    if (const auto* w = qobject_cast<const QPlainTextEdit*>(widget)) add(w, plain(w->toPlainText()));
    if (const auto* w = qobject_cast<const LineSheet*>(widget)) lines(w);
    if (const auto* w = qobject_cast<const QAbstractItemView*>(widget)) cells(w);
    if (const auto* w = qobject_cast<const SceneView*>(widget)) picture(w);
  }

  void tabs(const QTabBar* bar) {
    if (bar->currentIndex() >= 0) add(bar, "tab " + plain(bar->tabText(bar->currentIndex()).remove('&')));
  }

  void lines(const LineSheet* sheet) {
    const auto [first, last] = sheet->visibleLines();
    for (int line = first; line <= last; ++line)
      add(sheet, QString::fromStdString(sheet->lineText(line)).simplified().toStdString());
  }

  // A row is one text: its cells belong together.
  void cells(const QAbstractItemView* view) {
    if (view->inherits("QHeaderView") || view->model() == nullptr) return;
    const QAbstractItemModel* model = view->model();
    QModelIndex row = view->indexAt(view->viewport()->rect().topLeft() + QPoint(4, 4));
    while (row.isValid()) {
      const QRect place = view->visualRect(row);
      if (place.top() > view->viewport()->rect().bottom()) break;
      QStringList cells;
      for (int c = 0; c < model->columnCount(row.parent()); ++c) {
        const QModelIndex cell = row.siblingAtColumn(c);
        const QRect at = view->visualRect(cell);
        const QString text = cell.data().toString();
        if (at.isValid() && at.intersects(view->viewport()->rect()) && !text.isEmpty()) cells << text;
      }
      add(view, plain(cells.join(" | ")));
      const QModelIndex below = view->indexAt(QPoint(place.left() + 4, place.bottom() + 3));
      if (!below.isValid() || below == row) break;
      row = below;
    }
  }

  void picture(const SceneView* view) {
    for (const TextItem& item : view->scene().texts()) add(view, item.text);
  }
};

}  // namespace

std::vector<ScreenText> screen_texts(const QWidget& window) {
  Reader reader;
  reader.read(&window);
  return std::move(reader.texts);
}

}  // namespace shardscope::screen_agree_test
