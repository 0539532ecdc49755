// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/key_map.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "app/window/settings/view_keys.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kKeysSetting = "keys";

QList<QKeySequence> without(QList<QKeySequence> keys, const QList<QKeySequence>& taken) {
  keys.removeIf([&](const QKeySequence& key) { return taken.contains(key); });
  return keys;
}

// A key that a view takes before the window has it is no conflict while both have it from the start.
bool meant_to_share(const KeyRow& a, const KeyRow& b, const QKeySequence& key) {
  return (a.before_window || b.before_window) && a.first.contains(key) && b.first.contains(key);
}

}  // namespace

QString text_of_keys(const QList<QKeySequence>& keys) {
  QStringList out;
  for (const QKeySequence& key : keys) {
    const QString each = key.toString(QKeySequence::NativeText);
    if (!out.contains(each)) out << each;
  }
  return out.join(", ");
}

KeyMap::KeyMap(Settings& settings, QObject* parent) : QObject(parent), settings_(settings) {
  read();
  connect(&settings_, &Settings::changed, this, [this](const QString& id) {
    if (id != kKeysSetting) return;
    read();
    Q_EMIT changed();
  });
}

void KeyMap::setRows(std::vector<KeyRow> rows) {
  rows_ = std::move(rows);
}

const KeyRow* KeyMap::find(const QString& id) const {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [&](const KeyRow& row) { return row.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

QList<QKeySequence> KeyMap::keys(const QString& id) const {
  const auto changed = changed_.find(id);
  if (changed != changed_.end()) return *changed;
  const KeyRow* row = find(id);
  return row != nullptr ? row->first : QList<QKeySequence>();
}

QString KeyMap::said(const QString& id) const {
  const QList<QKeySequence> all = keys(id);
  return all.isEmpty() ? QString() : all.front().toString(QKeySequence::NativeText);
}

bool KeyMap::isFirst(const QString& id) const {
  return !changed_.contains(id);
}

QStringList KeyMap::conflicts(const QString& id, const QList<QKeySequence>& keys) const {
  const KeyRow* mine = find(id);
  QStringList out;
  if (mine == nullptr) return out;
  for (const KeyRow& other : rows_) {
    if (other.id == id || !heard_together(mine->focus, other.focus)) continue;
    const QList<QKeySequence> theirs = this->keys(other.id);
    const bool meets = std::any_of(keys.begin(), keys.end(), [&](const QKeySequence& key) {
      return theirs.contains(key) && !meant_to_share(*mine, other, key);
    });
    if (meets) out << other.id;
  }
  return out;
}

bool KeyMap::change(const QString& id, const QList<QKeySequence>& keys) {
  if (!conflicts(id, keys).isEmpty()) return false;
  takeOver(id, keys);
  return true;
}

void KeyMap::takeOver(const QString& id, const QList<QKeySequence>& keys) {
  const KeyRow* row = find(id);
  if (row == nullptr) return;
  Changed changed = changed_;
  for (const QString& other : conflicts(id, keys)) changed[other] = without(this->keys(other), keys);
  if (keys == row->first) {
    changed.remove(id);
  } else {
    changed[id] = keys;
  }
  write(changed);
}

void KeyMap::resetAll() {
  settings_.reset(kKeysSetting);
}

void KeyMap::read() {
  changed_.clear();
  const QJsonObject kept =
      QJsonDocument::fromJson(settings_.value(kKeysSetting).toString().toUtf8()).object();
  for (auto each = kept.begin(); each != kept.end(); ++each) {
    QList<QKeySequence> keys;
    for (const auto& key : each->toArray()) keys << QKeySequence(key.toString(), QKeySequence::PortableText);
    keys.removeAll(QKeySequence());
    changed_[each.key()] = keys;
  }
}

void KeyMap::write(const Changed& changed) {
  QJsonObject kept;
  for (auto each = changed.begin(); each != changed.end(); ++each) {
    QJsonArray keys;
    for (const QKeySequence& key : *each) keys.append(key.toString(QKeySequence::PortableText));
    kept[each.key()] = keys;
  }
  settings_.set(kKeysSetting, QString::fromUtf8(QJsonDocument(kept).toJson(QJsonDocument::Compact)));
}

}  // namespace shardscope::inline window
