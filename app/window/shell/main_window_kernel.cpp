// SPDX-License-Identifier: Apache-2.0
// The Kernel dock in the window: its menu, and the way from a run down into a chip and back.
#include <QDockWidget>
#include <QMenuBar>
#include <QStatusBar>

#include "app/window/chip/kernel_panel.h"
#include "app/window/shell/main_window.h"
#include "engine/kernels/time/stand_in.h"

namespace shardscope {
namespace {

// By global index, as selections name instructions.
Result<kernels::StandIn> stand_in_for(const Program& program, int32_t instruction) {
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  const auto count = static_cast<int32_t>(program.entry_computation().instructions.size());
  if (instruction < first || instruction >= first + count) {
    return invalid("kernels stand for instructions of the entry alone, this one is in a computation it calls",
                   program.by_global_index(instruction).name);
  }
  return kernels::stand_in(program, InstructionId(instruction - first));
}

}  // namespace

void MainWindow::makeKernelMenu() {
  QMenu* menu = menuBar()->addMenu("&Kernel");
  const auto shown = [this] { showPanel("kernel"); };
  add(menu, "&Open in the chip", QKeySequence("Ctrl+I"), [this] {
    openInChip();
  })->setToolTip("The kernel that stands for the selected product or collective (Ctrl+I)");
  menu->addSeparator();
  add(menu, "&Random schedule", QKeySequence("F7"), [this, shown] {
    shown();
    kernel_->randomSchedule();
  });
  add(menu, "&Find a failing schedule", QKeySequence("F9"), [this, shown] {
    shown();
    kernel_->findings()->search();
  });
  add(menu, "&Next finding", QKeySequence("F8"), [this] { kernel_->player().lookAtNext(1); });
  add(menu, "&Previous finding", QKeySequence("Shift+F8"), [this] { kernel_->player().lookAtNext(-1); });
  add(menu, "Fix it: the &mended twin beside", QKeySequence("Ctrl+Shift+F"), [this, shown] {
    shown();
    kernel_->fixIt();
  });
  menu->addSeparator();
  add(menu, "Play the &schedule", {}, [this] { kernel_->player().play(!kernel_->player().playing()); });
}

void MainWindow::connectKernel() {
  kernel_->restore(preferences_.kernel());
  connect(kernel_, &KernelPanel::choiceChanged, &preferences_, &Preferences::setKernel);
  connect(kernel_, &KernelPanel::enlargeRequested, this, [this] {
    auto* dock = findChild<QDockWidget*>("dockKernel");
    dock->setFloating(!dock->isFloating());
    if (dock->isFloating()) dock->resize(size() * 0.95);
    dock->raise();
  });
  // Looked at for the first time it gets the room that its devices need.
  auto* home = findChild<QDockWidget*>("dockKernel");
  connect(home, &QDockWidget::visibilityChanged, this, [this, home](bool visible) {
    if (!visible || home->isFloating() || !isVisible() || kernel_roomy_) return;
    kernel_roomy_ = true;
    const int wanted = height() * 60 / 100;
    if (home->height() >= wanted) return;
    QList<QDockWidget*> column{home, findChild<QDockWidget*>("dockRuns")};
    QList<int> heights{wanted, height() * 18 / 100};
    if (!compact_) {
      column << findChild<QDockWidget*>("dockSharding");
      heights << height() * 18 / 100;
    }
    resizeDocks(column, heights, Qt::Vertical);
  });
  connect(kernel_, &KernelPanel::backRequested, this, [this] {
    auto* dock = findChild<QDockWidget*>("dockProgram");
    dock->show();
    dock->raise();
    program_->setFocus(Qt::OtherFocusReason);
  });
  program_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(program_, &QWidget::customContextMenuRequested, this, [this](QPoint at) {
    QMenu* menu = program_->createStandardContextMenu(at);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSeparator();
    offerChip(*menu, program_->instructionAt(program_->cursorForPosition(at).blockNumber()));
    menu->popup(program_->viewport()->mapToGlobal(at));
  });
  timeline_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(timeline_, &QWidget::customContextMenuRequested, this, [this](QPoint at) {
    const auto hit = timeline_->scene().hit({static_cast<float>(at.x()), static_cast<float>(at.y())});
    const int32_t instruction = hit && hit->instruction >= 0 ? hit->instruction : -1;
    auto* menu = new QMenu(timeline_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    offerChip(*menu, instruction >= 0 ? instruction : bench_.clock().selection().selected.instruction);
    menu->popup(timeline_->mapToGlobal(at));
  });
}

// One entry: the kernel that would be opened, or why there is none.
void MainWindow::offerChip(QMenu& menu, int32_t instruction) {
  const ShownRunPtr& shown = bench_.clock().shown();
  if (!shown || instruction < 0) {
    menu.addAction("Open in the chip: no instruction here")->setEnabled(false);
    return;
  }
  const auto kernel = stand_in_for(shown->run->program, instruction);
  if (!kernel.ok()) {
    menu.addAction("Not in the chip: " + QString::fromStdString(kernel.error().text()))->setEnabled(false);
    return;
  }
  QAction* open = menu.addAction("Open in the chip: " + QString::fromStdString(kernel->kernel));
  connect(open, &QAction::triggered, this, [this, instruction] { openInChip(instruction); });
}

void MainWindow::openInChip(int32_t instruction) {
  const ShownRunPtr& shown = bench_.clock().shown();
  if (instruction < 0) instruction = bench_.clock().selection().selected.instruction;
  if (!shown || instruction < 0) {
    statusBar()->showMessage("Select a product or a collective first: in the program or on the timeline.",
                             8000);
    return;
  }
  const auto kernel = stand_in_for(shown->run->program, instruction);
  if (!kernel.ok()) {
    statusBar()->showMessage("No kernel stands for it: " + QString::fromStdString(kernel.error().text()),
                             12000);
    return;
  }
  const std::string& name = shown->run->program.by_global_index(instruction).name;
  showPanel("kernel");
  kernel_->openStandIn(*kernel, QString::fromStdString("%" + name + " of " + shown->run->strategy));
  kernel_->canvas()->setFocus(Qt::OtherFocusReason);
}

}  // namespace shardscope
