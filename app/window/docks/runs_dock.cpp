// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/runs_dock.h"

#include <QMenu>
#include <QSignalBlocker>

#include "app/window/docks/kernel_dock.h"
#include "engine/report/run_difference.h"

namespace shardscope {
namespace {

void mark(RunsTable& runs, Workbench& bench) {
  runs.setOld(bench.runs().old(bench.document().experiment()));
}

void fill(RunsTable& runs, Workbench& bench) {
  {
    const QSignalBlocker quiet(runs);
    runs.setRows(bench.runs().rows(), bench.runs().current(), bench.runs().skipped(), bench.runs().known());
    const ShownRunPtr& shown = bench.clock().shown();
    if (shown && shown->run->id && runs.selectedRuns().empty()) runs.selectRun(*shown->run->id);
  }
  mark(runs, bench);
  const auto made = bench.runs().currentRuns();
  const bool all = made.size() == bench.runs().current().size();  // a sentence about some of them would lie
  runs.setVerdict(made.empty() || !all ? QString() : QString::fromStdString(verdict(made)));
}

// Of a run that was shown by somebody else.
void follow(RunsTable& runs, Workbench& bench, int64_t id) {
  if (runs.selectedRuns() == std::vector<int64_t>{id} || bench.clock().comparison()) return;
  const QSignalBlocker quiet(runs);
  runs.view()->clearSelection();
  runs.selectRun(id);
}

}  // namespace

RunsTable* make_runs(const Context& c) {
  Workbench& bench = c.bench;
  auto* runs = new RunsTable(&c.window);
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
  return runs;
}

ProgramView* make_program(const Context& c) {
  auto* program = new ProgramView(c.bench.clock(), &c.window);
  program->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(program, &QWidget::customContextMenuRequested, program, [c, program](QPoint at) {
    QMenu* menu = program->createStandardContextMenu(at);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSeparator();
    offer_chip(c, *menu, program->instructionAt(program->cursorForPosition(at).blockNumber()));
    menu->popup(program->viewport()->mapToGlobal(at));
  });
  return program;
}

}  // namespace shardscope
