// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QToolBar>

#include "app/window/docks/context.h"

namespace shardscope {

// The tool bar: run, step, and how it is set up. The set-up gets a row of its own where one row would hide
// its end.
class ToolBars {
 public:
  explicit ToolBars(const Context& context);
  void arrange(bool compact);
  void setScale(double scale);
  int iconSize() const { return tools_->iconSize().width(); }

 private:
  void addSteps(const Context& context);
  void addSetup(const Context& context);
  void readDocument(const Experiment& experiment);

  QToolBar *tools_, *setup_;
  QList<QAction*> setup_actions_;  // hardware, overlap, commands
  QComboBox* hardware_;
  QCheckBox* overlap_;
};

}  // namespace shardscope
