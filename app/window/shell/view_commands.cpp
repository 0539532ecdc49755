// SPDX-License-Identifier: Apache-2.0
// Commands on what the window shows and how it looks.
#include "app/window/docks/compare_dock.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/runs_dock.h"
#include "app/window/document/language.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/demo_mode.h"
#include "engine/report/run_difference.h"

namespace shardscope {
namespace {

constexpr const char* kView = to_say("&View");
constexpr const char* kCompare = to_say("&Compare");

TimelineCanvas& timeline(const Context& c) {
  return *c.docks.widget<TimelineCanvas>("timeline");
}

// What stands here, ticked, and what could: the one place where a view is put away.
void fill_this_page(const Context& c, QMenu& menu) {
  menu.clear();
  for (const DockArea::Made& made : c.docks.all()) {
    QAction* action = menu.addAction(spoken(made.row->title));
    action->setCheckable(true);
    action->setChecked(c.docks.onPage(made) && !made.dock->isHidden());
    QObject::connect(action, &QAction::triggered, &menu, [c, &made](bool on) {
      if (!on) return made.dock->hide();
      if (!c.docks.onPage(made)) c.docks.put(made);
      c.docks.go(made.row->id);
    });
  }
}

// Begins with the view that has the focus.
void open_demo(const Context& c) {
  const DockArea::Made* made = c.docks.at(c.window.focusWidget());
  auto* demo = new DemoMode(c.bench.clock(), c.preferences, made != nullptr ? made->row->id : "");
  QObject::connect(&c.window, &QObject::destroyed, demo, &QWidget::close);
  demo->showFullScreen();
}

void compare_selected(const Context& c) {
  const auto ids = c.docks.widget<RunsTable>("runs")->selectedRuns();
  if (ids.size() < 2)
    return c.say("Select two runs or more in the table: click one, Ctrl+click others."_tr, 6000);
  if (ids.size() > kMostCompared) return c.say("Select 20 runs at most."_tr, 6000);
  c.bench.presenter().compare(ids);
  c.docks.go("compare");
}

void compare_best_there(const Context& c) {
  compare_best(c);
  c.docks.go("compare");
}

std::vector<Command> look_commands() {
  return {
      {.id = "look.dark",
       .menu = kView,
       .title = "&Dark theme"_tr,
       .keys = {QKeySequence("Ctrl+D")},
       .run = [](const Context& c) { c.preferences.setDark(!c.preferences.dark()); },
       .on = [](const Context& c) { return c.preferences.dark(); },
       .line = true},
      {.id = "look.larger",
       .menu = kView,
       .title = "&Larger"_tr,
       .keys = {QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")},
       .run = [](const Context& c) { c.preferences.setScale(c.preferences.scale() + 0.25); }},
      {.id = "look.smaller",
       .menu = kView,
       .title = "S&maller"_tr,
       .keys = {QKeySequence::ZoomOut},
       .run = [](const Context& c) { c.preferences.setScale(c.preferences.scale() - 0.25); }},
      {.id = "look.normal",
       .menu = kView,
       .title = "&100 %",
       .keys = {QKeySequence("Ctrl+0")},
       .run = [](const Context& c) { c.preferences.setScale(1); }},
      {.id = "look.reduce_motion",
       .menu = kView,
       .title = "Reduce m&otion"_tr,
       .run = [](const Context& c) { c.preferences.setReduceMotion(!c.preferences.reduceMotion()); },
       .on = [](const Context& c) { return c.preferences.reduceMotion(); }},
      {.id = "view.demo",
       .menu = kView,
       .title = "D&emo mode"_tr,
       .keys = {QKeySequence("F11")},
       .run = open_demo,
       .line = true},
  };
}

std::vector<Command> page_commands() {
  std::vector<Command> rows;
  for (const Page& page : pages()) {
    const auto number = static_cast<int>(rows.size()) + 1;
    rows.push_back({.id = "page." + page.id,
                    .menu = kView,
                    .title = "Page &%1: %2"_tr.arg(number).arg(page.title),
                    .keys = {QKeySequence(QString("Alt+%1").arg(number))},
                    .run = [id = page.id](const Context& c) { c.docks.setPage(id); },
                    .tip = page.about});
  }
  for (const Dock& dock : docks()) {
    rows.push_back({.id = "go." + dock.id,
                    .menu = to_say("&View/&Go to"),
                    .title = "Go to %1"_tr.arg(spoken(dock.title)),
                    .run = [id = dock.id](const Context& c) { c.docks.go(id); }});
  }
  rows.push_back(
      {.id = "view.this_page", .menu = kView, .title = "Views on &this page"_tr, .fill = fill_this_page});
  rows.push_back({.id = "view.restore_page",
                  .menu = kView,
                  .title = "&Restore this page's arrangement"_tr,
                  .run = [](const Context& c) { c.docks.restorePage(); }});
  return rows;
}

// What is said of a moment: one of them is on.
std::vector<Command> sentence_commands() {
  const auto title = [](SentenceLevel level) {
    switch (level) {
      case SentenceLevel::idea:
        return "Sentences: the &idea"_tr;
      case SentenceLevel::moves:
        return "Sentences: &who sends what"_tr;
      case SentenceLevel::program:
        return "Sentences: the &program's line"_tr;
    }
    return QString();
  };
  std::vector<Command> rows;
  for (const SentenceLevel level : sentence_levels()) {
    rows.push_back({.id = QString("sentences.") + name(level),
                    .menu = kView,
                    .title = title(level),
                    .run = [level](const Context& c) { c.preferences.setSentences(level); },
                    .tip = "What the status bar and the demo mode say of each beat"_tr,
                    .on = [level](const Context& c) { return c.preferences.sentences() == level; },
                    .line = level == SentenceLevel::idea});
  }
  return rows;
}

}  // namespace

std::vector<Command> view_commands() {
  std::vector<Command> rows = page_commands();
  const std::vector<Command> others = {
      {.id = "timeline.fit_all",
       .menu = kView,
       .title = "Timeline: &fit all"_tr,
       .run = [](const Context& c) { timeline(c).fitAll(); },
       .line = true},
      {.id = "timeline.fit_selection",
       .menu = kView,
       .title = "Timeline: fit &selection"_tr,
       .run = [](const Context& c) { timeline(c).fitSelection(); }},
      {.id = "timeline.collapse",
       .menu = kView,
       .title = "Timeline: one row for &equal devices"_tr,
       .run = [](const Context& c) { timeline(c).setCollapsed(!timeline(c).viewport().collapse_equal); },
       .on = [](const Context& c) { return timeline(c).viewport().collapse_equal; }},
  };
  for (const auto& part : {others, sentence_commands(), look_commands()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

std::vector<Command> compare_commands() {
  return {
      {.id = "compare.selected",
       .menu = kCompare,
       .title = "&Compare the selected runs"_tr,
       .keys = {QKeySequence("Ctrl+B")},
       .run = compare_selected},
      {.id = "compare.best",
       .menu = kCompare,
       .title = "Compare the two &best runs"_tr,
       .run = compare_best_there},
      {.id = "compare.none",
       .menu = kCompare,
       .title = "&One run again"_tr,
       .run = [](const Context& c) { c.bench.clock().showComparison(nullptr); }},
  };
}

}  // namespace shardscope
