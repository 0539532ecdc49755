// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/view_key_filter.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <algorithm>

#include "app/window/settings/view_keys.h"
#include "views/host/canvas_view.h"

namespace shardscope::inline window {
namespace {

// One that has been translated is not translated again on its way up from widget to widget.
class TranslatedKey : public QKeyEvent {
 public:
  using QKeyEvent::QKeyEvent;
};

// Of W, A, S and D the one that stands at their place on this keyboard; else the key itself.
QKeySequence pressed_by_place(const QKeyEvent& event) {
  const int place = event.modifiers() == Qt::NoModifier ? physical_key(event) : 0;
  return place != 0 ? QKeySequence(place) : pressed(event);
}

struct Meaning {
  const KeyRow* changed = nullptr;  // the user gave the key to this row
  bool read = false;                // a row that nobody changed has it
  bool taken_away = false;          // a row had it before it was changed
};

Meaning meaning_of(const KeyMap& keys, const QStringList& heard, const QKeyEvent& event) {
  const QKeySequence key = pressed(event), by_place = pressed_by_place(event);
  Meaning out;
  for (const KeyRow& row : view_keys()) {
    if (!heard.contains(row.focus)) continue;
    const bool first = row.first.contains(by_place) || row.first.contains(key);
    if (keys.isFirst(row.id)) {
      out.read = out.read || first;
    } else if (const QList<QKeySequence> now = keys.keys(row.id); now.contains(key)) {
      out.changed = &row;
    } else {
      out.taken_away = out.taken_away || first;
    }
  }
  return out;
}

}  // namespace

ViewKeyFilter::ViewKeyFilter(const KeyMap& keys, QObject* parent) : QObject(parent), keys_(keys) {
  if (qApp != nullptr) qApp->installEventFilter(this);
}

// Whether the view has the key before the window's commands have it.
bool ViewKeyFilter::takesFirst(const QObject& view, const QKeyEvent& event) const {
  const QStringList heard = heard_by(view);
  const QKeySequence key = pressed(event);
  return std::any_of(view_keys().begin(), view_keys().end(), [&](const KeyRow& row) {
    return row.before_window && heard.contains(row.focus) && keys_.keys(row.id).contains(key);
  });
}

bool ViewKeyFilter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // What a view reads for another key is no command of the window.
    if (!sending_ && !takesFirst(*watched, *static_cast<QKeyEvent*>(event))) return false;
    event->accept();
    return true;
  }
  if (event->type() != QEvent::KeyPress || dynamic_cast<TranslatedKey*>(event) != nullptr) return false;
  const QStringList heard = heard_by(*watched);
  if (heard.isEmpty()) return false;
  auto* key = static_cast<QKeyEvent*>(event);
  const Meaning meaning = meaning_of(keys_, heard, *key);
  if (meaning.changed != nullptr) {
    const QKeyCombination first = meaning.changed->first.front()[0];
    TranslatedKey translated(QEvent::KeyPress, first.key(), first.keyboardModifiers(), QString(),
                             key->isAutoRepeat());
    sending_ = true;
    QCoreApplication::sendEvent(watched, &translated);
    sending_ = false;
    key->accept();
    return true;
  }
  if (meaning.read || !meaning.taken_away) return false;
  key->ignore();
  return true;
}

}  // namespace shardscope::inline window
