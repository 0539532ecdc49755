// SPDX-License-Identifier: Apache-2.0
// What can be done in the window, in one table. Menus, tool bar, palette, the overview of keys and the tests
// read it: a new command is a row.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <functional>
#include <vector>

#include "app/window/docks/context.h"

namespace shardscope::inline window {

struct Command {
  QString id;         // "run.all"
  QString menu = {};  // "&Run", or with a menu inside it "&Run/&HLO module"; empty: the palette alone
  QString title = {};
  QList<QKeySequence> keys = {};
  std::function<void(const Context&)> run = {};
  QString tip = {};                                  // beside the key; empty: the title says it
  const char* icon = nullptr;                        // a file of app/window/icons
  std::function<bool(const Context&)> can = {};      // empty: always
  std::function<bool(const Context&)> on = {};       // it switches something on and off
  std::function<QString(const Context&)> name = {};  // what it is called now; empty: its title
  QString on_title = {};  // what it is called while that is on; empty: it is ticked
  const char* on_icon = nullptr;
  bool line = false;  // a line above it
  // Instead of an action of its own: another's, or what fills the menu `title` whenever it opens.
  std::function<QAction*(const Context&)> make = {};  // which somebody else runs and names
  std::function<void(const Context&, QMenu&)> fill = {};
};

std::vector<Command> file_commands();
std::vector<Command> edit_commands();
std::vector<Command> run_commands();
std::vector<Command> view_commands();
std::vector<Command> compare_commands();
std::vector<Command> kernel_commands();
std::vector<Command> lesson_commands();
std::vector<Command> help_commands();
void show_palette(const Context& context);
// All of them, menu by menu.
std::vector<Command> commands();
// Their keys and those of the views: what a KeyMap has.
std::vector<KeyRow> key_rows();

}  // namespace shardscope::inline window
