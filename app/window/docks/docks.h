// SPDX-License-Identifier: Apache-2.0
// The docks, in one table; their names are in dock_names.h. Where they stand is in pages.h; the View menu,
// `--view`, undo by focus and the tests that open each are read from it: a new one is a name, a row and its
// widget. Views of a run have their rows from run_views().
#pragma once

#include <QJsonObject>
#include <QUndoStack>
#include <functional>
#include <vector>

#include "app/window/docks/context.h"
#include "app/window/widgets/job_bar.h"
#include "views/host/canvas_view.h"

namespace shardscope::inline window {

struct Dock {
  QString id, title;
  std::function<QWidget*(const Context&)> make;
  bool fits = false;  // it lays itself out anew where there is little room; others get bars to scroll
  // What its widget offers, of those functions that it has; else empty.
  std::function<void(QWidget*, const Theme&)> set_theme = {};
  std::function<JobBar*(QWidget*)> job = {};          // of its own
  std::function<void(QWidget*)> run = {};             // that job
  std::function<QUndoStack*(QWidget*)> undo = {};     // its own edits; the others' are the experiment's
  std::function<CanvasView*(QWidget*)> picture = {};  // what is exported when it has the focus
  std::function<void(QWidget*)> find = {};            // begins a search in it
  std::function<QWidget*(QWidget*)> looked_at = {};   // the part of it that keys are for
  // What it is like beside what the workbench knows, kept with the window's state and given back.
  std::function<QJsonObject(QWidget*)> state = {};
  std::function<void(QWidget*, const QJsonObject&)> restore = {};
};

const std::vector<Dock>& docks();

}  // namespace shardscope::inline window
