// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QWidget>

#include "app/window/settings/key_map.h"

namespace shardscope::inline window {

// Waits for one key with its modifiers. Esc or another focus ends the waiting; Tab stays what moves the
// focus.
class KeyField : public QLineEdit {
  Q_OBJECT
 public:
  explicit KeyField(QWidget* parent = nullptr);
  void begin();

 Q_SIGNALS:
  void chosen(const QKeySequence& key);
  void ended();

 protected:
  bool event(QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  bool waiting_ = false;
};

// Every command and every key of a view, each with a key that can be changed. A key that another has is
// named, with the choice to take it over.
class KeysPage : public QWidget {
  Q_OBJECT
 public:
  explicit KeysPage(KeyMap& keys, QWidget* parent = nullptr);

  QLineEdit* search() { return search_; }
  QTreeWidget* table() { return table_; }
  KeyField* field() { return field_; }
  QLabel* conflict() { return conflict_; }  // empty: there is none
  QPushButton* takeOverButton() { return take_over_; }
  QPushButton* button(const QString& name) { return findChild<QPushButton*>(name); }  // change, none, …
  void choose(const QString& id);                                                     // its row

 private:
  QWidget* makeButtons();
  void fill();
  void readKeys();
  void narrow();
  void want(const QList<QKeySequence>& keys);  // of the chosen row
  void settle();
  QString chosen() const;

  KeyMap& keys_;
  QLineEdit* search_;
  QTreeWidget* table_;
  KeyField* field_;
  QLabel* conflict_;
  QPushButton* take_over_;
  QList<QKeySequence> wanted_;
};

}  // namespace shardscope::inline window
