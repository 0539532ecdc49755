// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <array>
#include <vector>

#include "app/window/docks/docks.h"

namespace shardscope {

// The docks of one window: made from the table, found by id, arranged by their places.
class DockArea {
 public:
  explicit DockArea(const Context& context);
  ~DockArea();
  DockArea(const DockArea&) = delete;
  DockArea& operator=(const DockArea&) = delete;

  struct Made {
    const Dock* row = nullptr;
    QDockWidget* dock = nullptr;
    QWidget* widget = nullptr;
  };

  const std::vector<Made>& all() const { return made_; }
  const Made* find(const QString& id) const;    // null: there is none
  const Made* at(const QWidget* widget) const;  // the one that `widget` is in, or null
  template <class Widget>
  Widget* widget(const QString& id) const {
    return static_cast<Widget*>(find(id)->widget);
  }
  const Made* go(const QString& id) const;  // in front, its job's button with the focus; null: there is none
  void setTheme(const Theme& theme) const;
  // All docks where the table has them. There is no central widget: they share the whole window. Compact
  // where all places side by side would be too small to read: large scale, small screen.
  void arrange(QMainWindow& window, double scale);
  QJsonObject views() const;  // the state of those docks that have one, by their ids
  void restoreViews(const QJsonObject& state) const;
  bool compact() const { return compact_; }
  static bool wantsCompact(const QMainWindow& window, double scale);

 private:
  using Groups = std::array<QList<QDockWidget*>, kPlaces>;
  void giveRoom(QMainWindow& window, QDockWidget& dock) const;

  std::vector<Made> made_;
  Groups groups_;  // by place, as they were arranged
  bool compact_ = false;
};

}  // namespace shardscope
