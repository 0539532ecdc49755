// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/runs_dock.h"

#include <QFileDialog>
#include <QMenu>
#include <QSignalBlocker>

#include "app/window/docks/file_taker.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/document/language.h"
#include "app/window/results/bring_in.h"
#include "engine/report/run_difference.h"

namespace shardscope {
namespace {

const QString kColumns = "runs_columns";  // of the table, in the settings

void mark(RunsTable& runs, Workbench& bench) {
  runs.setOld(old_runs(bench.runs(), bench.document().experiment()));
}

void fill(RunsTable& runs, Workbench& bench) {
  {
    const QSignalBlocker quiet(runs);
    std::map<int64_t, RunPtr> told = bench.runs().known();
    told.insert(bench.runs().outlines().begin(), bench.runs().outlines().end());
    runs.setRows(bench.runs().rows(), bench.runs().current(), bench.runs().skipped(), told);
    const ShownRunPtr& shown = bench.clock().shown();
    if (shown && shown->run->id && runs.selectedRuns().empty()) runs.selectRun(*shown->run->id);
  }
  runs.model()->setProving(bench.arrivals().proving());
  mark(runs, bench);
  const auto made = bench.runs().currentRuns();
  const bool all = made.size() == bench.runs().current().size();  // a sentence about some of them would lie
  runs.setVerdict(made.empty() || !all ? QString() : QString::fromStdString(verdict(made)));
}

void bring_in_from(const Context& c, const QString& path) {
  if (path.isEmpty()) return;
  if (c.bench.jobs().running()) return c.say("A job is running: import runs when it is done."_tr, 6000);
  auto* dialog = new BringIn(path, &c.window);
  QObject::connect(dialog, &BringIn::wanted, &c.bench.edits(), &RunEdits::bringIn);
  dialog->open();
}

// Of a run that was shown by somebody else.
void follow(RunsTable& runs, Workbench& bench, int64_t id) {
  if (runs.selectedRuns() == std::vector<int64_t>{id} || bench.clock().comparison()) return;
  const QSignalBlocker quiet(runs);
  runs.view()->clearSelection();
  runs.selectRun(id);
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
  QObject::connect(&bench.presenter(), &RunPresenter::shown, runs,
                   [runs, &bench](qint64 id) { follow(*runs, bench, id); });
  QObject::connect(&bench.document(), &ExperimentDocument::changed, runs,
                   [runs, &bench] { mark(*runs, bench); });
  QObject::connect(&bench, &Workbench::failed, runs, &RunsTable::setVerdict);
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

}  // namespace shardscope
