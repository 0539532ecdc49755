// SPDX-License-Identifier: Apache-2.0
// Commands on what the window shows and how it looks.
#include <QToolBar>
#include <QToolButton>

#include "app/window/docks/compare_dock.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/docks/lesson_dock.h"
#include "app/window/docks/runs_dock.h"
#include "app/window/document/language.h"
#include "app/window/present/lesson_talk.h"
#include "app/window/present/presentation.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/shell/commands.h"
#include "engine/report/run_difference.h"
#include "views/scene/timeline/row_edits.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kViewMenu = to_say("&View");
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

// The kernel's steps where it is in front; whether it is.
bool present_kernel(const Context& c, bool from_here) {
  KernelPanel* kernel = kernel_in_front(c);
  if (kernel == nullptr) return false;
  if (!from_here) kernel->player().setStep(0);
  present(c, std::make_unique<StepsTalk>(kernel->stepBar()->moments()), "kernel");
  return true;
}

// The dock that has the focus, as it stands.
void present_dock(const Context& c) {
  const DockArea::Made* made = c.docks.at(c.window.focusWidget());
  if (made != nullptr && made->row->id == "kernel" && present_kernel(c, true)) return;
  present(c, std::make_unique<StoryTalk>(c.bench.clock(), c.preferences),
          made != nullptr ? made->row->id : "");
}

// On the page of an open lesson its steps.
LessonPlayer* lesson_here(const Context& c) {
  return at_lesson(c) ? &lesson_of(c).player() : nullptr;
}

void present_story(const Context& c, bool from_here) {
  if (LessonPlayer* lesson = lesson_here(c)) {
    if (!from_here) lesson->goTo(0);
    present(c, std::make_unique<LessonTalk>(*lesson, lesson_moments(c)), "ring");
    return;
  }
  if (present_kernel(c, from_here)) return;
  const DockArea::Made* made = c.docks.at(c.window.focusWidget());
  const bool view = made != nullptr && qobject_cast<RunCanvas*>(made->widget) != nullptr;
  if (!from_here) c.bench.clock().setBeat(0);
  present(c, std::make_unique<StoryTalk>(c.bench.clock(), c.preferences), view ? made->row->id : "ring");
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

void focus_tools(const Context& c) {
  const auto* tools = c.window.findChild<QToolBar*>("tools");
  for (QToolButton* button : tools->findChildren<QToolButton*>()) {
    if (button->isEnabled() && button->isVisible()) return button->setFocus(Qt::TabFocusReason);
  }
}

std::vector<Command> look_commands() {
  return {
      {.id = "look.dark",
       .menu = kViewMenu,
       .title = "&Dark theme"_tr,
       .keys = {QKeySequence("Ctrl+D")},
       .run = [](const Context& c) { c.preferences.setDark(!c.preferences.dark()); },
       .on = [](const Context& c) { return c.preferences.dark(); },
       .line = true},
      {.id = "look.larger",
       .menu = kViewMenu,
       .title = "&Larger"_tr,
       .keys = {QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")},
       .run = [](const Context& c) { c.preferences.setScale(c.preferences.scale() + 0.25); }},
      {.id = "look.smaller",
       .menu = kViewMenu,
       .title = "S&maller"_tr,
       .keys = {QKeySequence::ZoomOut},
       .run = [](const Context& c) { c.preferences.setScale(c.preferences.scale() - 0.25); }},
      {.id = "look.normal",
       .menu = kViewMenu,
       .title = "&100 %",
       .keys = {QKeySequence("Ctrl+0")},
       .run = [](const Context& c) { c.preferences.setScale(1); }},
      {.id = "look.reduce_motion",
       .menu = kViewMenu,
       .title = "Reduce m&otion"_tr,
       .run = [](const Context& c) { c.preferences.setReduceMotion(!c.preferences.reduceMotion()); },
       .on = [](const Context& c) { return c.preferences.reduceMotion(); }},
      {.id = "present.view",
       .menu = kViewMenu,
       .title = "Pr&esent this view"_tr,
       .keys = {QKeySequence("F11")},
       .run = present_dock,
       .tip = "The view with the focus alone, over the whole screen, large enough for a class; Esc leaves"_tr,
       .line = true},
      {.id = "present.first",
       .menu = kViewMenu,
       .title = "Present from the first &step"_tr,
       .keys = {QKeySequence("F5")},
       .run = [](const Context& c) { present_story(c, false); },
       .tip = "Step by step, from before anything has happened; Esc leaves"_tr},
      {.id = "present.here",
       .menu = kViewMenu,
       .title = "Present from &here"_tr,
       .keys = {QKeySequence("Shift+F5")},
       .run = [](const Context& c) { present_story(c, true); },
       .tip = "Step by step, from the moment that is shown; Esc leaves"_tr},
  };
}

std::vector<Command> page_commands() {
  std::vector<Command> rows;
  for (const Page& page : pages()) {
    const auto number = static_cast<int>(rows.size()) + 1;
    rows.push_back({.id = "page." + page.id,
                    .menu = kViewMenu,
                    .title = "Page &%1: %2"_tr.arg(number).arg(page.title),
                    .keys = {QKeySequence(QString("Alt+%1").arg(number))},
                    .run =
                        [id = page.id](const Context& c) {
                          c.docks.setPage(id);
                          look_at_page(c.docks);
                        },
                    .tip = page.about});
  }
  for (const Dock& dock : docks()) {
    rows.push_back({.id = "go." + dock.id,
                    .menu = to_say("&View/&Go to"),
                    .title = "Go to %1"_tr.arg(spoken(dock.title)),
                    .run = [id = dock.id](const Context& c) { look_at(c.docks, id); }});
  }
  rows.push_back({.id = "view.next",
                  .menu = kViewMenu,
                  .title = "&Next view"_tr,
                  .keys = {QKeySequence("F6")},
                  .run = [](const Context& c) { step_focus(c.docks, 1); },
                  .tip = "The focus goes to the next view of this page"_tr});
  rows.push_back({.id = "view.previous",
                  .menu = kViewMenu,
                  .title = "Pre&vious view"_tr,
                  .keys = {QKeySequence("Shift+F6")},
                  .run = [](const Context& c) { step_focus(c.docks, -1); },
                  .tip = "The focus goes to the view before on this page"_tr});
  rows.push_back({.id = "view.tools",
                  .menu = kViewMenu,
                  .title = "&Tool bar"_tr,
                  .keys = {QKeySequence("Ctrl+F6")},
                  .run = focus_tools,
                  .tip = "The focus goes to the tool bar; Tab walks along it"_tr});
  rows.push_back(
      {.id = "view.this_page", .menu = kViewMenu, .title = "Views on &this page"_tr, .fill = fill_this_page});
  rows.push_back({.id = "view.restore_page",
                  .menu = kViewMenu,
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
                    .menu = kViewMenu,
                    .title = title(level),
                    .run = [level](const Context& c) { c.preferences.setSentences(level); },
                    .tip = "What the status bar and a presentation say about each step"_tr,
                    .on = [level](const Context& c) { return c.preferences.sentences() == level; },
                    .line = level == SentenceLevel::idea});
  }
  return rows;
}

constexpr const char* kRows = to_say("&View/Timeline &rows");

RowControl& rows_of(const Context& c) {
  return timeline(c).rows();
}

// Of the shown run's mesh; without one nothing.
template <class How>
auto editing(How how) {
  return [how](const Context& c) {
    if (const ShownRunPtr& shown = c.bench.clock().shown())
      rows_of(c).edit([&](RowChoice& choice) { how(choice, shown->run->mesh); });
  };
}

bool counts_shown(const Context& c) {
  const ShownRunPtr& shown = c.bench.clock().shown();
  return shown && shows_counts(shown->input(), rows_of(c).choice());
}

void toggle_counts(const Context& c) {
  const bool on = counts_shown(c);
  rows_of(c).edit([on](RowChoice& choice) { choice.counts = !on; });
}

// What the timeline's keys and the context menu of its rows do as well.
std::vector<Command> row_height_commands() {
  return {
      {.id = "rows.filter",
       .menu = kRows,
       .title = "&Filter by device…"_tr,
       .run = [](const Context& c) { rows_of(c).editFilter(); },
       .tip = "row=0 · col=2..5 · row=0,3 col=1 · 7 12..15 · (0,1); on the timeline: L"_tr},
      {.id = "rows.taller",
       .menu = kRows,
       .title = "&Taller"_tr,
       .run = [](const Context& c) { rows_of(c).stretchRows(RowControl::kStretch); },
       .tip = "On the timeline: + or Ctrl+wheel over the heads of the rows"_tr},
      {.id = "rows.lower",
       .menu = kRows,
       .title = "&Lower"_tr,
       .run = [](const Context& c) { rows_of(c).stretchRows(0.8); },
       .tip = "On the timeline: - or Ctrl+wheel over the heads of the rows"_tr},
      {.id = "rows.fit",
       .menu = kRows,
       .title = "Fit &all"_tr,
       .run = editing([](RowChoice& r, const Mesh&) { r.fit = true; }),
       .tip = "On the timeline: Shift+Home"_tr},
      {.id = "rows.own_height",
       .menu = kRows,
       .title = "As high as their lanes &want"_tr,
       .run = editing([](RowChoice& r, const Mesh&) { r.fit = false, r.height = 0; })},
      {.id = "rows.counts",
       .menu = kRows,
       .title = "How many devices &compute, wait, are idle"_tr,
       .run = toggle_counts,
       .tip = "On the timeline: C"_tr,
       .on = counts_shown,
       .line = true},
  };
}

std::vector<Command> row_commands() {
  return {
      {.id = "rows.hide",
       .menu = kRows,
       .title = "&Hide the row of the selected device"_tr,
       .run = [](const Context& c) { rows_of(c).hideRow(); },
       .tip = "On the timeline: H"_tr,
       .line = true},
      {.id = "rows.pin",
       .menu = kRows,
       .title = "&Pin it on top, or let it scroll"_tr,
       .run = [](const Context& c) { rows_of(c).pinRow(); },
       .tip = "On the timeline: P"_tr},
      {.id = "rows.group",
       .menu = kRows,
       .title = "&Group by the next axis"_tr,
       .run = editing(group_by_next),
       .tip = "On the timeline: G"_tr},
      {.id = "rows.fold",
       .menu = kRows,
       .title = "F&old all groups, or unfold them"_tr,
       .run = editing(toggle_folds),
       .tip = "On the timeline: Shift+X; X folds one"_tr},
      {.id = "rows.all",
       .menu = kRows,
       .title = "&Show all rows"_tr,
       .run = editing([](RowChoice& r, const Mesh&) { show_all(r); }),
       .tip = "No filter, nothing hidden, pinned or grouped; on the timeline: Shift+H"_tr},
  };
}

}  // namespace

std::vector<Command> view_commands() {
  std::vector<Command> rows = page_commands();
  const std::vector<Command> others = {
      {.id = "timeline.fit_all",
       .menu = kViewMenu,
       .title = "Timeline: &fit all"_tr,
       .run = [](const Context& c) { timeline(c).fitAll(); },
       .line = true},
      {.id = "timeline.fit_selection",
       .menu = kViewMenu,
       .title = "Timeline: fit &selection"_tr,
       .run = [](const Context& c) { timeline(c).fitSelection(); }},
      {.id = "timeline.collapse",
       .menu = kViewMenu,
       .title = "Timeline: one row for &equal devices"_tr,
       .run = [](const Context& c) { timeline(c).rows().collapse(!timeline(c).viewport().collapse_equal); },
       .on = [](const Context& c) { return timeline(c).viewport().collapse_equal; }},
  };
  for (const auto& part :
       {others, row_height_commands(), row_commands(), sentence_commands(), look_commands()})
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
       .title = "&End the comparison"_tr,
       .run = [](const Context& c) { c.bench.clock().showComparison(nullptr); }},
      {.id = "runs.bring_in",
       .menu = kCompare,
       .title = "&Import runs of another workspace…"_tr,
       .run =
           [](const Context& c) {
             c.docks.go("runs");
             bring_in(c);
           },
       .line = true},
      {.id = "runs.label",
       .menu = kCompare,
       .title = "&Name, tags and note of the run…"_tr,
       .run =
           [](const Context& c) {
             c.docks.go("runs");
             c.docks.widget<RunsTable>("runs")->editLabel();
           }},
      {.id = "runs.filter",
       .menu = kCompare,
       .title = "&Filter the runs"_tr,
       .run =
           [](const Context& c) {
             c.docks.go("runs");
             c.docks.widget<RunsTable>("runs")->bar()->filter()->setFocus(Qt::ShortcutFocusReason);
           }},
  };
}

}  // namespace shardscope::inline window
