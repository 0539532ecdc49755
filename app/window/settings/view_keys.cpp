// SPDX-License-Identifier: Apache-2.0
#include "app/window/settings/view_keys.h"

#include <algorithm>
#include <array>

#include "engine/base/say.h"

namespace shardscope::inline window {
namespace {

// A class of widgets with what it hears; of two that fit the one further up counts.
struct Listener {
  const char* class_name;
  QStringList hears;
};

const std::vector<Listener>& listeners() {
  static const std::vector<Listener> kListeners = {
      {"shardscope::window::TimelineCanvas", {"timeline", "rows", "run", "zoom"}},
      {"shardscope::window::OperationsCanvas", {"operations", "run", "zoom"}},
      {"shardscope::window::PlaneCanvas", {"plane", "run", "zoom"}},
      {"shardscope::window::RunCanvas", {"run", "zoom"}},
      {"shardscope::window::CompareCanvas", {"compare", "rows", "zoom"}},
      {"shardscope::window::BesideCanvas", {"compare", "rows", "zoom"}},
      {"shardscope::window::WhatIfCanvas", {"what_if", "rows", "zoom"}},
      {"shardscope::window::KernelCanvas", {"kernel", "rows", "zoom"}},
      {"shardscope::window::KernelTimeCanvas", {"kernel", "rows", "zoom"}},
      {"shardscope::window::KernelFixCanvas", {"kernel", "rows", "zoom"}},
      {"shardscope::window::KernelPanel", {"kernel", "rows", "zoom"}},
      {"shardscope::window::GroupedCanvas", {"grouped"}},
      {"shardscope::window::MeshPicture", {"mesh"}},
      {"shardscope::window::TileCanvas", {"module"}},
      {"shardscope::window::HloTextView", {"module"}},
      {"shardscope::window::LineView", {"module"}},
      {"shardscope::window::HloPanel", {"module"}},
      {"shardscope::window::Presentation", {"present"}},
      {"shardscope::window::PresenterWindow", {"present"}},
      {"shardscope::window::LessonPanel", {"lesson"}},
      // What no view or field wanted is the timeline's.
      {"shardscope::window::MainWindow", {"timeline", "rows", "run", "zoom"}},
  };
  return kListeners;
}

using Keys = std::initializer_list<const char*>;

KeyRow key_row(const char* focus, const char* id, const char* title, Keys keys) {
  KeyRow out{.id = QString("key.%1.%2").arg(focus, id), .title = title, .focus = focus, .first = {}};
  for (const char* key : keys) out.first << QKeySequence(key);
  out.before_window = out.focus == "present";  // a window of its own
  return out;
}

void add_run_keys(std::vector<KeyRow>& out) {
  for (const KeyRow& each : {
           key_row("zoom", "in", to_say("Zoom in (W by its place on the keyboard)"), {"W"}),
           key_row("zoom", "out", to_say("Zoom out (S by its place on the keyboard)"), {"S"}),
           key_row("zoom", "left", to_say("Move left (A by its place on the keyboard)"), {"A"}),
           key_row("zoom", "right", to_say("Move right (D by its place on the keyboard)"), {"D"}),
           key_row("zoom", "fit", to_say("Fit what is selected, or all"), {"F"}),
           key_row("run", "fit_all", to_say("Fit all"), {"Home"}),
           key_row("run", "previous", to_say("Previous step"), {"Left", "PgUp"}),
           key_row("run", "next", to_say("Next step"), {"Right", "PgDown"}),
           key_row("run", "play", to_say("Play or pause"), {"Space"}),
           key_row("rows", "up", to_say("Scroll the rows up; on a kernel's time the device before"), {"Up"}),
           key_row("rows", "down", to_say("Scroll the rows down; on a kernel's time the next device"),
                   {"Down"}),
           key_row("timeline", "cause", to_say("Go to the event's cause"), {"["}),
           key_row("timeline", "effect", to_say("Go to the event's effect"), {"]"}),
           key_row("timeline", "before",
                   to_say("Previous step; with an event selected its neighbour on the lane"), {","}),
           key_row("timeline", "after", to_say("Next step; with an event selected its neighbour on the lane"),
                   {"."}),
           key_row("timeline", "measure",
                   to_say("Measure: then click two events or places, or select another event and press M; "
                          "Esc ends"),
                   {"M"}),
           key_row("timeline", "next_hit", to_say("Next hit of the search; without one: search"), {"N"}),
           key_row("timeline", "previous_hit", to_say("Previous hit of the search"), {"Shift+N"}),
       })
    out.push_back(each);
  for (int digit = 1; digit <= 9; ++digit) {
    out.push_back({.id = QString("key.timeline.bookmark.go.%1").arg(digit),
                   .title = QString::fromStdString(say("Go to bookmark {}", digit)),
                   .focus = "timeline",
                   .first = {QKeySequence(QString::number(digit))}});
    out.push_back({.id = QString("key.timeline.bookmark.set.%1").arg(digit),
                   .title = QString::fromStdString(say("Set bookmark {}", digit)),
                   .focus = "timeline",
                   .first = {QKeySequence(QString("Ctrl+%1").arg(digit))}});
  }
}

// Of the timeline's rows.
void add_row_keys(std::vector<KeyRow>& out) {
  for (const KeyRow& each : {
           key_row("timeline", "taller", to_say("Rows taller"), {"+", "="}),
           key_row("timeline", "lower", to_say("Rows lower, down to a pixel a device"), {"-"}),
           key_row("timeline", "all_rows", to_say("All rows in sight"), {"Shift+Home"}),
           key_row("timeline", "filter",
                   to_say("Filter the rows by device: row=0, col=2..5, row=0,3 col=1, 7 12..15, (0,1)"),
                   {"L"}),
           key_row("timeline", "hide", to_say("Hide the row of the selected device"), {"H"}),
           key_row("timeline", "pin", to_say("Pin the row of the selected device on top"), {"P"}),
           key_row("timeline", "group", to_say("Group the rows by the next axis of the mesh"), {"G"}),
           key_row("timeline", "fold", to_say("Fold or unfold the group"), {"X"}),
           key_row("timeline", "fold_all", to_say("Fold or unfold all groups"), {"Shift+X"}),
           key_row("timeline", "counts", to_say("How many devices compute, wait, are idle: show or not"),
                   {"C"}),
           key_row("timeline", "show_all",
                   to_say("Show all rows: no filter, nothing hidden, pinned or grouped"), {"Shift+H"}),
       })
    out.push_back(each);
}

void add_chip_keys(std::vector<KeyRow>& out) {
  for (const KeyRow& each : {
           key_row("plane", "up", to_say("Move up"), {"Up"}),
           key_row("plane", "down", to_say("Move down"), {"Down"}),
           key_row("compare", "fit_all", to_say("Fit all"), {"Home"}),
           key_row("compare", "previous", to_say("Previous step"), {"Left"}),
           key_row("compare", "next", to_say("Next step"), {"Right"}),
           key_row("compare", "before", to_say("Operation before"), {","}),
           key_row("compare", "after", to_say("Next operation"), {"."}),
           key_row("operations", "up", to_say("Operation above"), {"Up"}),
           key_row("operations", "down", to_say("Operation below"), {"Down"}),
           key_row("operations", "before", to_say("Part of the time before"), {","}),
           key_row("operations", "after", to_say("Next part of the time"), {"."}),
           key_row("what_if", "fit_all", to_say("Fit all"), {"Home"}),
           key_row("kernel", "previous", to_say("Previous step"), {"Left", "PgUp", ","}),
           key_row("kernel", "next", to_say("Next step"), {"Right", "PgDown", "."}),
           key_row("kernel", "back", to_say("Ten steps back"), {"Shift+Left"}),
           key_row("kernel", "on", to_say("Ten steps on"), {"Shift+Right"}),
           key_row("kernel", "first", to_say("First step"), {"Home"}),
           key_row("kernel", "last", to_say("Last step"), {"End"}),
           key_row("kernel", "play", to_say("Play or pause"), {"Space"}),
           key_row("kernel", "previous_finding", to_say("Previous finding"), {"["}),
           key_row("kernel", "next_finding", to_say("Next finding"), {"]"}),
           key_row("grouped", "previous", to_say("Boundary before"), {"Up"}),
           key_row("grouped", "next", to_say("Next boundary"), {"Down"}),
           key_row("grouped", "left", to_say("Move the boundary left by a row"), {"Left"}),
           key_row("grouped", "right", to_say("Move the boundary right by a row"), {"Right"}),
           key_row("grouped", "tile_left", to_say("Move the boundary left by a tile"), {"Shift+Left"}),
           key_row("grouped", "tile_right", to_say("Move the boundary right by a tile"), {"Shift+Right"}),
       })
    out.push_back(each);
  for (const char* focus : {"kernel", "grouped"}) {
    KeyRow let_go = key_row(focus, "let_go", to_say("Clear the selection"), {"Esc"});
    let_go.before_window = true;
    out.push_back(let_go);
  }
}

void add_present_keys(std::vector<KeyRow>& out) {
  for (const KeyRow& each : {
           key_row("present", "next", to_say("Next step, before and after"),
                   {"Right", "Down", "PgDown", "Space", "Return"}),
           key_row("present", "previous", to_say("Previous step"), {"Left", "Up", "PgUp", "Shift+Space"}),
           key_row("present", "first", to_say("Before the first step"), {"Home"}),
           key_row("present", "last", to_say("Last step"), {"End"}),
           key_row("present", "play", to_say("Play or pause"), {"P"}),
           key_row("present", "moment_before", to_say("The moment before, within this step"), {"["}),
           key_row("present", "moment_after", to_say("The next moment, within this step"), {"]"}),
           key_row("present", "again", to_say("Play this step again"), {"R"}),
           key_row("present", "faster", to_say("Faster"), {"+", "="}),
           key_row("present", "slower", to_say("Slower"), {"-"}),
           key_row("present", "blank", to_say("Blank the screen, or show it again"), {"B", "."}),
           key_row("present", "spotlight", to_say("Spotlight on what changes in this step"), {"S"}),
           key_row("present", "notes", to_say("Notes and the answer on this screen"), {"N"}),
           key_row("present", "presenter", to_say("Notes, the answer and the next step in a second window"),
                   {"Shift+N"}),
           key_row("present", "idea", to_say("Sentences: the idea"), {"1"}),
           key_row("present", "moves", to_say("Sentences: who sends what to whom"), {"2"}),
           key_row("present", "program", to_say("Sentences: the program's line"), {"3"}),
           key_row("present", "canvas", to_say("Another view"), {"Tab"}),
           key_row("present", "zoom_in", to_say("Zoom in"), {"W"}),
           key_row("present", "zoom_out", to_say("Zoom out"), {"Shift+W"}),
           key_row("present", "left", to_say("Move left"), {"A"}),
           key_row("present", "right", to_say("Move right"), {"D"}),
           key_row("present", "up", to_say("Move up, or scroll the rows"), {"Shift+Up"}),
           key_row("present", "down", to_say("Move down, or scroll the rows"), {"Shift+Down"}),
           key_row("present", "fit", to_say("Fit all"), {"F"}),
           key_row("present", "leave", to_say("Leave the presentation; Esc always does"), {"F11", "F5"}),
       })
    out.push_back(each);
}

void add_other_keys(std::vector<KeyRow>& out) {
  for (const KeyRow& each : {
           key_row("mesh", "left", to_say("Chip on the left"), {"Left"}),
           key_row("mesh", "right", to_say("Chip on the right"), {"Right"}),
           key_row("mesh", "up", to_say("Chip above"), {"Up"}),
           key_row("mesh", "down", to_say("Chip below"), {"Down"}),
           key_row("mesh", "speed", to_say("Speed of the chip"), {"Return", "Enter"}),
           key_row("mesh", "link_left", to_say("Speed of the link to the left"), {"Shift+Left"}),
           key_row("mesh", "link_right", to_say("Speed of the link to the right"), {"Shift+Right"}),
           key_row("mesh", "link_up", to_say("Speed of the link upwards"), {"Shift+Up"}),
           key_row("mesh", "link_down", to_say("Speed of the link downwards"), {"Shift+Down"}),
           key_row("module", "edit", to_say("Edit the sharding of the instruction"), {"F2"}),
           key_row("lesson", "next", to_say("Next step"), {"PgDown"}),
           key_row("lesson", "previous", to_say("Previous step"), {"PgUp"}),
           key_row("lesson", "moment_before", to_say("The moment before, in the step's picture"), {"Left"}),
           key_row("lesson", "moment_after", to_say("The next moment of the step's picture"), {"Right"}),
           key_row("lesson", "play", to_say("Play or pause the step's picture"), {"Space"}),
           key_row("lesson", "again", to_say("Play the step's picture again"), {"R"}),
           key_row("lesson", "faster", to_say("Faster"), {"+", "="}),
           key_row("lesson", "slower", to_say("Slower"), {"-"}),
       })
    out.push_back(each);
}

std::vector<KeyRow> make_rows() {
  std::vector<KeyRow> out;
  add_run_keys(out);
  add_row_keys(out);
  add_chip_keys(out);
  add_present_keys(out);
  add_other_keys(out);
  return out;
}

// Whether Shift is needed for the character itself.
bool shifted_symbol(int key) {
  const bool letter = key >= Qt::Key_A && key <= Qt::Key_Z;
  const bool digit = key >= Qt::Key_0 && key <= Qt::Key_9;
  return key > Qt::Key_Space && key < 0x100 && !letter && !digit;
}

}  // namespace

const std::vector<Focus>& focuses() {
  static const std::vector<Focus> kFocuses = {
      {kEverywhere, to_say("Everywhere")},
      {"run", to_say("In the views of a run")},
      {"timeline", to_say("On the timeline")},
      {"plane", to_say("On the sharding grid and the ring")},
      {"zoom", to_say("In every picture that can be zoomed")},
      {"rows", to_say("On timelines and kernels")},
      {"compare", to_say("In the comparison")},
      {"operations", to_say("In the table of operations × time")},
      {"what_if", to_say("In the What if view")},
      {"kernel", to_say("In the Kernel view")},
      {"grouped", to_say("In the Grouped matmul view")},
      {"mesh", to_say("In the picture of the mesh")},
      {"module", to_say("In the HLO view")},
      {"lesson", to_say("In a lesson")},
      {"present", to_say("While presenting")},
  };
  return kFocuses;
}

const std::vector<KeyRow>& view_keys() {
  static const std::vector<KeyRow> kRows = make_rows();
  return kRows;
}

QStringList heard_by(const QObject& object) {
  for (const Listener& each : listeners()) {
    if (object.inherits(each.class_name)) return each.hears;
  }
  return {};
}

bool heard_together(const QString& focus, const QString& other) {
  if (focus == other) return true;
  // A presentation is a window of its own.
  if (focus == "present" || other == "present") return false;
  if (focus == kEverywhere || other == kEverywhere) return true;
  const auto& all = listeners();
  return std::any_of(all.begin(), all.end(), [&](const Listener& each) {
    return each.hears.contains(focus) && each.hears.contains(other);
  });
}

const std::vector<Gesture>& gestures() {
  static const std::vector<Gesture> kGestures = {
      {"zoom", to_say("Drag"), to_say("Move")},
      {"zoom", to_say("Wheel"), to_say("Zoom at the cursor")},
      {"timeline", to_say("Wheel over the rows' heads"),
       to_say("Scroll the timeline's rows; with Ctrl: taller, lower")},
      {"timeline", to_say("Shift+Wheel"), to_say("Scroll the rows")},
      {"timeline", to_say("Drag on the ruler"), to_say("Move the moment")},
      {"timeline", to_say("Ctrl+Drag on the ruler"), to_say("Zoom to a range of time")},
      {"timeline", to_say("Shift+Drag"), to_say("Mark a range of time")},
      {"timeline", to_say("Double click"), to_say("Zoom to an event")},
      {"module", to_say("Double click"), to_say("Edit a sharding; in the tables: go there")},
      {"present", to_say("Esc"), to_say("Leave the presentation, whatever has the focus")},
      {kEverywhere, to_say("Tab, Shift+Tab"), to_say("To the next field or view, to the one before")},
      {kEverywhere, to_say("Enter in a table"), to_say("Open the row, go there, or make it the experiment")},
  };
  return kGestures;
}

QKeySequence pressed(const QKeyEvent& event) {
  Qt::KeyboardModifiers held =
      event.modifiers() & (Qt::ShiftModifier | Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
  if (shifted_symbol(event.key())) held &= ~Qt::KeyboardModifiers(Qt::ShiftModifier);
  return {QKeyCombination(held, static_cast<Qt::Key>(event.key()))};
}

}  // namespace shardscope::inline window
