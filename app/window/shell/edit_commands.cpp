// SPDX-License-Identifier: Apache-2.0
// Commands on the experiment and on what is selected.
#include <QLineEdit>

#include "app/window/dialogs/preferences_dialog.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/edit_chip.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/document/language.h"
#include "app/window/runs/notes_panel.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/find_palette.h"
#include "app/window/text/find_bar.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kEdit = to_say("&Edit");

// Every step of the experiment, the newest first; a click goes back to it, or forward again.
void fill_history(const Context& c, QMenu& menu) {
  menu.clear();
  QUndoStack& stack = c.bench.document().undoStack();
  for (int step = stack.count(); step >= 0; --step) {
    const QString said = step > 0 ? stack.text(step - 1) : "as it was opened"_tr;
    QAction* go = menu.addAction(QString("%1  %2").arg(step).arg(said));
    go->setCheckable(true);
    go->setChecked(step == stack.index());
    QObject::connect(go, &QAction::triggered, &menu, [&stack, step] { stack.setIndex(step); });
  }
}

void filter_strategies(const Context& c) {
  c.docks.go("experiment");
  c.docks.widget<ExperimentForm>("experiment")->find();
}

void search_timeline(const Context& c) {
  c.docks.go("timeline");
  c.docks.widget<TimelineCanvas>("timeline")->marks().search().begin();
}

// Where one looks; a view of the run is searched by its events.
void find_here(const Context& c) {
  const DockArea::Made* made = c.docks.at(c.window.focusWidget());
  if (made != nullptr && made->row->find) return made->row->find(made->widget);
  if (auto* bar = made == nullptr ? nullptr : made->widget->findChild<FindBar*>()) return bar->find();
  if (at_module(c)) return hlo_of(c).find();
  const bool of_run = made == nullptr || qobject_cast<RunCanvas*>(made->widget) != nullptr;
  if (of_run && c.docks.onPage(*c.docks.find("timeline"))) return search_timeline(c);
  c.say("There is no text or list to search in this view."_tr, 6000);
}

void add_note(const Context& c) {
  if (!c.bench.clock().shown()) return c.say("There is no run yet."_tr, 6000);
  c.docks.go("notes");
  c.docks.widget<NotesPanel>("notes")->addHere();
}

// What keys and clicks do just now ends first.
void clear_selection(const Context& c) {
  if (!c.docks.widget<TimelineCanvas>("timeline")->marks().escape()) c.bench.clock().clear();
}

std::vector<Command> find_commands() {
  return {
      {.id = "edit.find",
       .menu = kEdit,
       .title = "&Find in this view"_tr,
       .keys = {QKeySequence::Find},
       .run = find_here,
       .tip = "In the text, the table or the timeline that has the focus"_tr},
      {.id = "strategies.filter",
       .menu = kEdit,
       .title = "Fi&lter strategies"_tr,
       .keys = {QKeySequence("Ctrl+L")},
       .run = filter_strategies,
       .tip = "Words of an id, a title, a paper or a reason"_tr},
      {.id = "selection.find",
       .menu = kEdit,
       .title = "Fin&d instruction or device…"_tr,
       .keys = {QKeySequence("Ctrl+G")},
       .run = show_find},
  };
}

// Those at the end of the menu.
std::vector<Command> moment_commands() {
  return {
      {.id = "timeline.search",
       .menu = kEdit,
       .title = "&Search in the timeline"_tr,
       .keys = {QKeySequence("/")},
       .run = search_timeline,
       .tip = "Events by device, lane and operation; Enter and Shift+Enter walk the hits"_tr},
      {.id = "note.add",
       .menu = kEdit,
       .title = "Add a &note at this moment"_tr,
       .keys = {QKeySequence("Ctrl+Shift+N")},
       .run = add_note,
       .tip = "Of the event or device that is selected; it stays in the workspace"_tr},
      {.id = "edit.preferences",
       .menu = kEdit,
       .title = "Prefere&nces…"_tr,
       .keys = {QKeySequence("Ctrl+,")},
       .run = [](const Context& c) { show_preferences(c.preferences, &c.window); },
       .tip = "Look, playing, new experiments, memory, keys"_tr,
       .line = true},
  };
}

}  // namespace

std::vector<Command> edit_commands() {
  std::vector<Command> out = {
      {.id = "edit.undo",
       .menu = kEdit,
       .title = "&Undo"_tr,
       .keys = {QKeySequence::Undo},
       .make = [](const Context& c) { return c.undo.createUndoAction(&c.window, "&Undo"_tr); }},
      {.id = "edit.redo",
       .menu = kEdit,
       .title = "&Redo"_tr,
       .keys = {QKeySequence::Redo},
       .make = [](const Context& c) { return c.undo.createRedoAction(&c.window, "&Redo"_tr); }},
      {.id = "edit.history", .menu = kEdit, .title = "&History"_tr, .fill = fill_history},
      {.id = "selection.back",
       .menu = kEdit,
       .title = "Selection &back"_tr,
       .keys = {QKeySequence("Alt+Left")},
       .run = [](const Context& c) { c.bench.clock().back(); },
       .line = true},
      {.id = "selection.forward",
       .menu = kEdit,
       .title = "Selection &forward"_tr,
       .keys = {QKeySequence("Alt+Right")},
       .run = [](const Context& c) { c.bench.clock().forward(); }},
      {.id = "selection.clear",
       .menu = kEdit,
       .title = "&Clear selection"_tr,
       .keys = {QKeySequence("Esc")},
       .run = clear_selection},
      {.id = "timeline.copy_range",
       .menu = kEdit,
       .title = "Copy range as CS&V"_tr,
       .keys = {QKeySequence("Ctrl+Shift+C")},
       .run = [](const Context& c) { c.docks.widget<TimelineCanvas>("timeline")->copyRange(); },
       .line = true},
      {.id = "chip.edit",
       .menu = kEdit,
       .title = "Edit c&hip…"_tr,
       .keys = {QKeySequence("Ctrl+H")},
       .run = [](const Context& c) { edit_chip(c); },
       .tip = "Every number of the chip and its links, with its source"_tr},
  };
  for (const auto& part : {find_commands(), moment_commands()})
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

}  // namespace shardscope::inline window
