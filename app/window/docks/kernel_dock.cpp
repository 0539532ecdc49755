// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/kernel_dock.h"

#include "app/window/docks/dock_area.h"
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/kernels/time/stand_in.h"

namespace shardscope::inline window {
namespace {

// By global index, as selections name instructions.
Result<kernels::StandIn> stand_in_for(const Program& program, int32_t instruction) {
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  const auto count = static_cast<int32_t>(program.entry_computation().instructions.size());
  if (instruction < first || instruction >= first + count) {
    return invalid(
        said("kernels stand for instructions of the entry alone, this one is in a computation it calls"),
        display_name(program.by_global_index(instruction)));
  }
  return kernels::stand_in(program, InstructionId(instruction - first));
}

void enlarge(const Context& c) {
  QDockWidget* dock = c.docks.find("kernel")->dock;
  dock->setFloating(!dock->isFloating());
  if (dock->isFloating()) dock->resize(c.window.size() * 0.95);
  dock->raise();
}

void go_back(const Context& c) {
  const DockArea::Made* program = c.docks.go("program");
  program->widget->setFocus(Qt::OtherFocusReason);
}

}  // namespace

KernelPanel* make_kernel(const Context& c) {
  auto* kernel = new KernelPanel(c.bench.document(), &c.window);
  Settings& settings = c.preferences.settings();
  kernel->restore(settings.value("kernel").toString());
  QObject::connect(kernel, &KernelPanel::choiceChanged, &settings,
                   [&settings](const QString& choice) { settings.set("kernel", choice); });
  QObject::connect(kernel->tabs()->editor(), &KernelEditor::used, kernel,
                   [c](const QString& path) { c.preferences.addRecentFile(path); });
  QObject::connect(kernel, &KernelPanel::enlargeRequested, kernel, [c] { enlarge(c); });
  QObject::connect(kernel, &KernelPanel::backRequested, kernel, [c] { go_back(c); });
  QDockWidget* dock = c.docks.find("kernel")->dock;
  const auto follow = [kernel, dock, &transport = c.transport] {
    KernelStepBar& steps = *kernel->stepBar();
    steps.setVisible(dock->isFloating() || &transport.front() != &steps.moments());
  };
  follow();
  QObject::connect(dock, &QDockWidget::topLevelChanged, kernel, [dock, follow](bool floating) {
    if (!floating) dock->raise();  // back from its own window it is in front
    follow();
  });
  QObject::connect(&c.transport, &Transport::frontChanged, kernel, follow);
  return kernel;
}

KernelPanel* kernel_in_front(const Context& c) {
  const DockArea::Made* made = c.docks.find("kernel");
  if (c.docks.page() != "chip" || made->widget == nullptr || !c.docks.onPage(*made)) return nullptr;
  // Its Details may stand before it; what is grouped is another subject.
  if (!in_front(*made->dock) && in_front(*c.docks.find("grouped")->dock)) return nullptr;
  return static_cast<KernelPanel*>(made->widget);
}

void offer_chip(const Context& c, QMenu& menu, int32_t instruction) {
  const ShownRunPtr& shown = c.bench.clock().shown();
  if (!shown || instruction < 0) {
    menu.addAction("Open in the chip: no instruction here"_tr)->setEnabled(false);
    return;
  }
  const auto kernel = stand_in_for(shown->run->program, instruction);
  if (!kernel.ok()) {
    menu.addAction("Not in the chip: %1"_tr.arg(in_window(kernel.error())))->setEnabled(false);
    return;
  }
  QAction* open = menu.addAction("Open in the chip: %1"_tr.arg(QString::fromStdString(kernel->kernel)));
  QObject::connect(open, &QAction::triggered, open, [c, instruction] { open_in_chip(c, instruction); });
}

void offer_chip_on(const Context& c, RunCanvas& canvas) {
  canvas.setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(&canvas, &QWidget::customContextMenuRequested, &canvas, [c, &canvas](QPoint at) {
    const auto hit = canvas.scene().hit({static_cast<float>(at.x()), static_cast<float>(at.y())});
    const int32_t instruction = hit && hit->instruction >= 0 ? hit->instruction : -1;
    auto* menu = new QMenu(&canvas);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    offer_chip(c, *menu, instruction >= 0 ? instruction : c.bench.clock().selection().selected.instruction);
    Q_EMIT canvas.menuOpens(*menu, hit.value_or(ItemId{}));
    menu->popup(canvas.mapToGlobal(at));
  });
}

void open_in_chip(const Context& c, int32_t instruction) {
  const ShownRunPtr& shown = c.bench.clock().shown();
  if (instruction < 0) instruction = c.bench.clock().selection().selected.instruction;
  if (!shown || instruction < 0)
    return c.say("Select a product or a collective first: in the program or on the timeline."_tr, 8000);
  const auto kernel = stand_in_for(shown->run->program, instruction);
  if (!kernel.ok()) return c.say("No kernel stands for it: %1"_tr.arg(in_window(kernel.error())), 12000);
  const std::string name = display_name(shown->run->program.by_global_index(instruction));
  c.docks.go("kernel");
  auto* panel = c.docks.widget<KernelPanel>("kernel");
  panel->openStandIn(*kernel, QString::fromStdString(say("{} of {}", name, shown->run->strategy)));
  panel->canvas()->setFocus(Qt::OtherFocusReason);
}

}  // namespace shardscope::inline window
