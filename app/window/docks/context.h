// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <QUndoGroup>

#include "app/window/document/journaling.h"
#include "app/window/document/moments.h"
#include "app/window/document/preferences.h"
#include "app/window/document/workbench.h"
#include "app/window/widgets/written_bar.h"

namespace shardscope::inline window {

class DockArea;

// What docks and commands may use of their window.
struct Context {
  QMainWindow& window;  // the parent of what they make
  Preferences& preferences;
  Workbench& bench;
  Transport& transport;  // steps the picture in front
  DockArea& docks;
  QUndoGroup& undo;  // the stack of what has the focus is the active one
  Journaling& journaling;

  void say(const QString& text, int ms = 0) const;  // in the status bar; 0: until something else is said
  void report(const Result<void>& result) const;    // says what went wrong
  // Asks for a file, writes it and says where it is.
  void write(const NewFile& file) const { report(write_new_file(&window, file)); }
  void saveText(const QString& title, const QString& name, const QString& filter, const QString& text) const;
};

}  // namespace shardscope::inline window
