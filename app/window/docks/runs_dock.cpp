// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/runs_dock.h"

#include <QFileDialog>
#include <QMenu>
#include <QSignalBlocker>
#include <algorithm>
#include <iterator>

#include "app/window/docks/file_taker.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/document/language.h"
#include "app/window/results/bring_in.h"
#include "engine/report/run_difference.h"
#include "engine/request/setting.h"

namespace shardscope::inline window {
namespace {

const QString kColumns = "runs_columns";  // of the table, in the settings

std::vector<int64_t> shown_runs(Workbench& bench) {
  return state_of(bench.clock().of(Subject::runs)).runs;
}

// Those of the experiment, and what is shown beside them. Without the first: all that there are.
std::set<int64_t> listed_runs(Workbench& bench) {
  std::set<int64_t> out = bench.runs().current();
  if (!out.empty()) std::ranges::copy(shown_runs(bench), std::inserter(out, out.end()));
  return out;
}

// The rows of what is shown are selected, and no other.
void select_shown(RunsTable& runs, const std::vector<int64_t>& ids) {
  const std::vector<int64_t> selected = runs.selectedRuns();
  if (ids.empty() || std::ranges::is_permutation(selected, ids)) return;
  const QSignalBlocker quiet(runs);
  runs.view()->clearSelection();
  for (const int64_t id : ids) runs.selectRun(id);
}

void mark(RunsTable& runs, Workbench& bench) {
  runs.setOld(old_runs(bench.runs(), bench.document().experiment()));
}

void fill(RunsTable& runs, Workbench& bench) {
  {
    const QSignalBlocker quiet(runs);
    std::map<int64_t, RunPtr> told = bench.runs().known();
    told.insert(bench.runs().outlines().begin(), bench.runs().outlines().end());
    runs.setRows(bench.runs().rows(), listed_runs(bench), bench.runs().skipped(), told);
  }
  if (runs.selectedRuns().empty()) select_shown(runs, shown_runs(bench));
  runs.model()->setProving(bench.arrivals().proving());
  mark(runs, bench);
  const auto made = bench.runs().currentRuns();
  const bool all = made.size() == bench.runs().current().size();  // a sentence about some of them would lie
  if (made.empty() || !all) return runs.setVerdict("");
  runs.setVerdict(QString::fromStdString(verdict(made)),
                  QString::fromStdString(setting_words(made.front()->experiment)));
}

// Of what is shown by somebody else.
void follow(RunsTable& runs, Workbench& bench) {
  const std::vector<int64_t> ids = shown_runs(bench);
  const auto is_there = [&](int64_t id) {
    return std::ranges::find(runs.model()->rows(), id, &RunSummary::id) != runs.model()->rows().end();
  };
  if (!std::ranges::all_of(ids, is_there)) fill(runs, bench);
  select_shown(runs, ids);
}

void bring_in_from(const Context& c, const QString& path) {
  if (path.isEmpty()) return;
  if (c.bench.jobs().running()) return c.say("A job is running: import runs when it is done."_tr, 6000);
  auto* dialog = new BringIn(path, &c.window);
  QObject::connect(dialog, &BringIn::wanted, &c.bench.edits(), &RunEdits::bringIn);
  dialog->open();
}

}  // namespace

void bring_in(const Context& c) {
  bring_in_from(c, QFileDialog::getOpenFileName(&c.window, "Import runs", "", "Workspaces (*.shardscope)"));
}

RunsTable* make_runs(const Context& c) {
  Workbench& bench = c.bench;
  auto* runs = new RunsTable(bench.edits(), &c.window);
  RunsColumns* columns = runs->columns();
  columns->restore(c.preferences.kept(kColumns));
  QObject::connect(columns, &RunsColumns::changed, runs,
                   [columns, &preferences = c.preferences] { preferences.keep(kColumns, columns->state()); });
  QObject::connect(runs, &RunsTable::bringInRequested, runs, [c] { bring_in(c); });
  new FileTaker(runs, "workspace", to_say("imports its runs"),
                [c](const QString& file) { bring_in_from(c, file); });
  QObject::connect(&bench.edits(), &RunEdits::broughtIn, runs,
                   [c](const QString& words) { c.say(words, 8000); });
  QObject::connect(&bench, &Workbench::runsChanged, runs, [runs, &bench] { fill(*runs, bench); });
  QObject::connect(&bench.presenter(), &RunPresenter::shown, runs, [runs, &bench] { follow(*runs, bench); });
  QObject::connect(&bench.clock(), &Clock::runChanged, runs, [runs, &bench] {
    // While a choice is prepared it is the table's own.
    if (!bench.presenter().preparing()) follow(*runs, bench);
  });
  QObject::connect(&bench.document(), &ExperimentDocument::changed, runs,
                   [runs, &bench] { mark(*runs, bench); });
  QObject::connect(&bench, &Workbench::failed, runs,
                   [runs](const QString& reason) { runs->setVerdict(reason); });
  QObject::connect(runs, &RunsTable::selectionChanged, runs, [runs, &bench] {
    const auto ids = runs->selectedRuns();
    if (ids.size() == 1) bench.presenter().show(ids[0]);
    if (ids.size() > 1 && ids.size() <= kMostCompared) bench.presenter().compare(ids);
  });
  fill(*runs, bench);
  if (const QString& failure = bench.running().failure; !failure.isEmpty()) runs->setVerdict(failure);
  return runs;
}

ProgramPanel* make_program(const Context& c) {
  auto* panel = new ProgramPanel(c.bench.clock(), &c.window);
  ProgramView* program = panel->text();
  program->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(program, &QWidget::customContextMenuRequested, program, [c, program](QPoint at) {
    QMenu* menu = program->createStandardContextMenu(at);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSeparator();
    offer_chip(c, *menu, program->instructionAt(program->cursorForPosition(at).blockNumber()));
    menu->popup(program->viewport()->mapToGlobal(at));
  });
  return panel;
}

}  // namespace shardscope::inline window
