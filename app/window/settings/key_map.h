// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <QMap>
#include <QObject>
#include <vector>

#include "app/window/settings/settings.h"

namespace shardscope::inline window {

// One command with its keys, or one key of a view.
struct KeyRow {
  QString id, title;
  QString focus;               // what must have the focus: one of focuses()
  QList<QKeySequence> first;   // before anybody changed them; a view reads the first of them
  bool before_window = false;  // the view takes these keys before the window's own commands of the same key
};

// The keys as the user has them, kept in the settings. Menus, tips, views, the overview and the preferences
// ask here. No two commands that hear the same focus have one key.
class KeyMap : public QObject {
  Q_OBJECT
 public:
  explicit KeyMap(Settings& settings, QObject* parent = nullptr);

  void setRows(std::vector<KeyRow> rows);
  const std::vector<KeyRow>& rows() const { return rows_; }
  const KeyRow* find(const QString& id) const;  // null: there is none

  QList<QKeySequence> keys(const QString& id) const;
  QString said(const QString& id) const;  // "Ctrl+R"; empty: it has none
  bool isFirst(const QString& id) const;  // nobody has changed it
  // Who else has one of `keys` where `id` is heard.
  QStringList conflicts(const QString& id, const QList<QKeySequence>& keys) const;
  // Refused, and nothing changed, while another has one of them.
  bool change(const QString& id, const QList<QKeySequence>& keys);
  void takeOver(const QString& id, const QList<QKeySequence>& keys);  // the others lose those
  void resetAll();

 Q_SIGNALS:
  void changed();

 private:
  using Changed = QMap<QString, QList<QKeySequence>>;  // by id
  void read();
  void write(const Changed& changed);

  Settings& settings_;
  std::vector<KeyRow> rows_;
  Changed changed_;
};

// "Ctrl+R, F5", as the platform writes keys.
QString text_of_keys(const QList<QKeySequence>& keys);

}  // namespace shardscope::inline window
