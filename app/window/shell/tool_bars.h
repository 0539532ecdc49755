// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QTabBar>
#include <QToolBar>

#include "app/window/docks/context.h"
#include "app/window/docks/pages.h"

namespace shardscope::inline window {

class StepBar;

// The tool bar: run, step, and how it is set up; under it the tabs of the pages. The set-up goes beside those
// where one row would hide its end.
class ToolBars {
 public:
  explicit ToolBars(const Context& context);
  void arrange(Form form);
  void setTheme(const Theme& theme);
  void showSetup(bool on);  // what runs the experiment and sets it up; off where another picture is in front
  int iconSize() const { return tools_->iconSize().width(); }

 private:
  void addSteps(const Context& context);
  void addSetup(const Context& context);
  void addPages(const Context& context);
  void place();
  void readDocument(const Experiment& experiment);

  QToolBar *tools_, *pages_;
  StepBar* steps_ = nullptr;
  QList<QAction*> run_actions_;
  QAction* cancel_ = nullptr;
  QTabBar* tabs_;
  QList<QAction*> setup_actions_;  // hardware, chip, overlap, commands
  QAction* commands_ = nullptr;    // the one of them that is always there
  Form form_ = Form::wide;
  bool setup_ = true;
  QComboBox* hardware_;
  QCheckBox* overlap_;
};

}  // namespace shardscope::inline window
