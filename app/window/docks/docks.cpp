// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/docks.h"

#include <algorithm>
#include <type_traits>

#include "app/window/chip/grouped_panel.h"
#include "app/window/docks/compare_dock.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/dock_names.h"
#include "app/window/docks/edit_chip.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/docks/lesson_dock.h"
#include "app/window/docks/profile_dock.h"
#include "app/window/docks/runs_dock.h"
#include "app/window/docks/study_docks.h"
#include "app/window/document/language.h"
#include "app/window/runs/beside_panel.h"
#include "app/window/runs/details_panel.h"
#include "app/window/runs/events_table.h"
#include "app/window/runs/make_run_canvas.h"
#include "app/window/runs/notes_panel.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/sql/sql_box.h"
#include "app/window/studies/error_growth_panel.h"
#include "app/window/studies/what_if_panel.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/check.h"

namespace shardscope::inline window {
namespace {

// `make` returns the dock's own type; what that can do beside being a widget becomes the row's functions.
template <class Make>
Dock row(const QString& id, const QString& title, Make make) {
  using Panel = std::remove_pointer_t<std::invoke_result_t<Make, const Context&>>;
  Dock out{.id = id, .title = title, .make = make};
  const auto of = [](QWidget* widget) { return static_cast<Panel*>(widget); };
  if constexpr (requires(Panel & p, const Theme& t) { p.setTheme(t); })
    out.set_theme = [of](QWidget* w, const Theme& theme) { of(w)->setTheme(theme); };
  if constexpr (requires(Panel & p) { p.job(); }) out.job = [of](QWidget* w) { return of(w)->job(); };
  if constexpr (requires(Panel & p) { p.job(), p.run(); }) out.run = [of](QWidget* w) { of(w)->run(); };
  if constexpr (requires(Panel & p) { p.undoStack(); })
    out.undo = [of](QWidget* w) { return &of(w)->undoStack(); };
  if constexpr (requires(Panel & p) { p.pictureCanvas(); })
    out.picture = [of](QWidget* w) { return of(w)->pictureCanvas(); };
  if constexpr (std::is_base_of_v<CanvasView, Panel>) out.picture = of;
  if constexpr (requires(Panel & p) { p.find(); }) out.find = [of](QWidget* w) { of(w)->find(); };
  if constexpr (requires(Panel & p, const QJsonObject& o) { p.state(), p.restore(o); }) {
    out.state = [of](QWidget* w) { return of(w)->state(); };
    out.restore = [of](QWidget* w, const QJsonObject& state) { of(w)->restore(state); };
  }
  return out;
}

template <class Make>
Dock panel_row(const char* id, Make make) {
  return row(id, panel_title(id), make);
}

Dock fitting(Dock dock) {
  dock.fits = true;
  return dock;
}

// A picture of a run that the experiment does not ask for any more says so in its title.
void follow_title(const Context& c, const RunView& view, const RunCanvas& canvas) {
  const auto tell = [&view, &clock = c.bench.clock(), &docks = c.docks] {
    const bool earlier = clock.shown() && clock.shown()->earlier;
    const QString title = spoken(view.title);
    docks.find(view.id)->dock->setWindowTitle(earlier ? "%1 (earlier)"_tr.arg(title) : title);
  };
  QObject::connect(&c.bench.clock(), &Clock::runChanged, &canvas, tell);
  tell();
}

Dock runs_row() {
  Dock out = panel_row("runs", make_runs);
  out.find = [](QWidget* widget) { begin_in(*static_cast<RunsTable*>(widget)->bar()->filter()); };
  return out;
}

Dock module_row() {
  Dock out = fitting(panel_row("hlo", make_hlo));
  out.looked_at = [](QWidget* widget) { return widget->findChild<HloTexts*>()->sourceView(); };
  return out;
}

Dock lesson_row() {
  Dock out = fitting(panel_row("lesson", make_lesson));
  out.looked_at = [](QWidget* widget) -> QWidget* {
    auto* panel = static_cast<LessonPanel*>(widget);
    if (!panel->document().isOpen()) return panel->chooser()->list();
    return panel->nextButton();
  };
  return out;
}

// A view of the shown run; what it says while there is none follows the workbench.
Dock view_row(const RunView& view) {
  Dock out = row(view.id, view.title, [&view](const Context& c) {
    Workbench& bench = c.bench;
    RunCanvas* canvas = make_run_canvas(view, bench.clock(), &c.window);
    QObject::connect(canvas, &RunCanvas::runRequested, &bench, &Workbench::runAll);
    QObject::connect(&bench, &Workbench::runningChanged, canvas, &RunCanvas::setBusy);
    QObject::connect(&bench, &Workbench::experimentOpened, canvas, [canvas] { canvas->setFailure(""); });
    QObject::connect(&bench, &Workbench::failed, canvas, &RunCanvas::setFailure);
    follow_title(c, view, *canvas);
    canvas->setBusy(bench.running().now);
    canvas->setFailure(bench.running().failure);
    if (view.moves == RunView::Moves::time) {
      offer_chip_on(c, *canvas);
      static_cast<TimelineCanvas*>(canvas)->marks().setNotes(bench.state().notes());
    }
    return canvas;
  });
  if (view.moves == RunView::Moves::time)
    out.find = [](QWidget* widget) { static_cast<TimelineCanvas*>(widget)->marks().search().begin(); };
  return out;
}

ExperimentForm* make_experiment(const Context& c) {
  auto* form = new ExperimentForm(c.bench.document(), &c.window);
  QObject::connect(form, &ExperimentForm::chipRequested, form, [c] { edit_chip(c); });
  Clock& clock = c.bench.clock();
  QObject::connect(&clock, &Clock::runChanged, form, [form, &clock] {
    form->sharding()->showRun(clock.of(Subject::runs).run);
    form->options()->showRun(clock.of(Subject::runs).run);
  });
  return form;
}

SqlBox* make_sql(const Context& c) {
  auto* sql = new SqlBox(&c.window);
  const auto follow = [sql, &bench = c.bench] { sql->setWorkspace(bench.runs().workspace()); };
  QObject::connect(&c.bench, &Workbench::experimentOpened, sql, follow);
  follow();
  sql->setKept(c.preferences.kept("sql"));
  QObject::connect(sql, &SqlBox::keptChanged, sql,
                   [sql, &preferences = c.preferences] { preferences.keep("sql", sql->kept()); });
  return sql;
}

std::vector<Dock> make_rows() {
  std::vector<Dock> rows;
  for (const RunView& view : run_views()) rows.push_back(view_row(view));
  const std::vector<Dock> others = {
      panel_row("experiment", make_experiment),
      runs_row(),
      panel_row("program", make_program),
      panel_row("events", [](const Context& c) { return new EventsTable(c.bench.clock(), &c.window); }),
      panel_row("details",
                [](const Context& c) { return new DetailsPanel(c.bench.clock(), c.transport, &c.window); }),
      panel_row("notes",
                [](const Context& c) {
                  return new NotesPanel(c.bench.state().notes(), c.bench.clock(), &c.window);
                }),
      panel_row("tuner", make_tuner),
      panel_row("crossover", make_crossover),
      panel_row("calibration", make_calibration),
      panel_row("what_if", [](const Context& c) { return new WhatIfPanel(c.bench, &c.window); }),
      panel_row("compare", make_compare),
      panel_row("beside", [](const Context& c) { return new BesidePanel(c.bench, &c.window); }),
      panel_row("profile", make_profile),
      panel_row("errors", [](const Context& c) { return new ErrorGrowthPanel(&c.window); }),
      panel_row("atlas", make_atlas_panel),
      panel_row("sql", make_sql),
      module_row(),
      panel_row("kernel", make_kernel),
      lesson_row(),
      panel_row("grouped", [](const Context& c) { return new GroupedPanel(&c.window); }),
  };
  rows.insert(rows.end(), others.begin(), others.end());
  const std::vector<std::string> ids = dock_ids();
  CHECK(std::ranges::equal(rows, ids, {}, [](const Dock& dock) { return dock.id.toStdString(); }));
  return rows;
}

}  // namespace

const std::vector<Dock>& docks() {
  static const std::vector<Dock> kRows = make_rows();
  return kRows;
}

}  // namespace shardscope::inline window
