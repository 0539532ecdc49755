// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <vector>

#include "app/window/settings/key_map.h"

namespace shardscope::inline window {

// All keys as they are now, and what the mouse does: a column for each place where they count, as many side
// by side as there is room for; it scrolls and can be searched.
class KeyOverview : public QDialog {
  Q_OBJECT
 public:
  explicit KeyOverview(KeyMap& keys, QWidget* parent = nullptr);
  QLineEdit* search() { return search_; }
  QStringList shown() const;  // "Ctrl+R  Run all", those that the search lets through

 Q_SIGNALS:
  void changeRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Line {
    QString key, does;
    QWidget* widget;
  };
  struct Group {
    QWidget* box;
    std::vector<Line> lines;
  };
  void addGroup(const QString& focus, const QString& title);
  void narrow();
  void arrange();  // each group below the column that is the shortest so far

  KeyMap& keys_;
  QLineEdit* search_;
  QScrollArea* area_;
  QWidget* sheet_;
  QHBoxLayout* columns_;
  std::vector<Group> groups_;
};

}  // namespace shardscope::inline window
