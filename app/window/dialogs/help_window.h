// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTextBrowser>
#include <functional>
#include <vector>

#include "app/window/dialogs/help_entries.h"

namespace shardscope::inline window {

// The help: topics that a search narrows, and what the chosen one says. It stays open beside the window.
class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  explicit HelpWindow(const KeyMap& keys, QWidget* parent = nullptr);
  void open(const QString& topic);  // of others than the table's: the first
  // What stands below a topic: the columns of its tables as they are drawn, in Markdown.
  void setColumns(std::function<QString(const QString& topic)> columns) { columns_ = std::move(columns); }
  QString topic() const;  // that is shown; empty: none is found
  QLineEdit* search() { return search_; }
  QListWidget* list() { return list_; }
  QTextBrowser* text() { return text_; }
  QPushButton* goButton() { return go_; }

 Q_SIGNALS:
  void goRequested(const QString& dock);  // to the view that the topic is about

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void narrow();
  void read();

  std::vector<HelpEntry> entries_;
  std::function<QString(const QString&)> columns_;
  QLineEdit* search_;
  QListWidget* list_;
  QTextBrowser* text_;
  QPushButton* go_;
};

// The topic of the widget that has the focus: its own or that of what it is in; empty: none has one.
QString topic_of(const QWidget* focus);

}  // namespace shardscope::inline window
