// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/shell/commands.h"

namespace shardscope::inline window {

// The commands as actions in the menus of their window. An action's object name is its command's id.
class Actions {
 public:
  explicit Actions(const Context& context);
  void readState() const;  // which can be chosen, which are on
  void setIcons(const Theme& theme, int px) const;
  void readKeys() const;  // as the user has them, and tips that name them

 private:
  struct Made {
    Command row;
    QAction* action = nullptr;
  };
  QAction* makeAction(const Command& row) const;
  void readTips(const QWidget& inside) const;

  const Context context_;
  std::vector<Made> made_;
};

// Those of the window's menus in their order, then those without a menu.
QList<QAction*> window_actions(const QMainWindow& window);

}  // namespace shardscope::inline window
