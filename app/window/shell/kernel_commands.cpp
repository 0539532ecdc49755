// SPDX-License-Identifier: Apache-2.0
// Commands inside the chip.
#include <functional>

#include "app/window/docks/dock_area.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/document/language.h"
#include "app/window/shell/commands.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kKernelMenu = to_say("&Kernel");

KernelPanel& kernel(const Context& c) {
  return *c.docks.widget<KernelPanel>("kernel");
}

KernelPanel& shown_kernel(const Context& c) {
  c.docks.go("kernel");
  return kernel(c);
}

// Once the kernel is there, which is made beside this thread.
void when_loaded(KernelPanel& panel, const std::function<void()>& deed) {
  if (!panel.busy()) return deed();
  QObject::connect(&panel, &KernelPanel::choiceChanged, &panel, deed, Qt::SingleShotConnection);
}

// On its page, whichever is in front, once its kernel is there.
void look_at_next(const Context& c, int by) {
  KernelPanel& panel = shown_kernel(c);
  when_loaded(panel, [c, by, &panel] {
    if (panel.player().findings().empty())
      return c.say("Nothing was found in this schedule: F9 searches for one that fails."_tr, 6000);
    panel.player().lookAtNext(by);
  });
}

void fix(const Context& c) {
  KernelPanel& panel = shown_kernel(c);
  when_loaded(panel, [c, &panel] {
    if (!panel.tabs()->fixIt()) c.say("There is nothing to mend in this kernel."_tr, 6000);
  });
}

}  // namespace

std::vector<Command> kernel_commands() {
  return {
      {.id = "kernel.open_in_chip",
       .menu = kKernelMenu,
       .title = "&Open in the chip"_tr,
       .keys = {QKeySequence("Ctrl+I")},
       .run = [](const Context& c) { open_in_chip(c); },
       .tip = "The kernel that stands for the selected product or collective"_tr},
      {.id = "kernel.random",
       .menu = kKernelMenu,
       .title = "&Random schedule"_tr,
       .keys = {QKeySequence("F7")},
       .run = [](const Context& c) { shown_kernel(c).randomSchedule(); },
       .line = true},
      {.id = "kernel.search",
       .menu = kKernelMenu,
       .title = "&Find a failing schedule"_tr,
       .keys = {QKeySequence("F9")},
       .run = [](const Context& c) { shown_kernel(c).run(); }},
      {.id = "kernel.next_finding",
       .menu = kKernelMenu,
       .title = "&Next finding"_tr,
       .keys = {QKeySequence("F8")},
       .run = [](const Context& c) { look_at_next(c, 1); }},
      {.id = "kernel.previous_finding",
       .menu = kKernelMenu,
       .title = "&Previous finding"_tr,
       .keys = {QKeySequence("Shift+F8")},
       .run = [](const Context& c) { look_at_next(c, -1); }},
      {.id = "kernel.fix",
       .menu = kKernelMenu,
       .title = "Fix it: the &mended twin beside"_tr,
       .keys = {QKeySequence("Ctrl+Shift+F")},
       .run = fix},
      {.id = "kernel.play",
       .menu = kKernelMenu,
       .title = "Play the &schedule"_tr,
       .run =
           [](const Context& c) {
             KernelPanel& panel = shown_kernel(c);
             when_loaded(panel, [&panel] { panel.player().play(!panel.player().playing()); });
           },
       .line = true},
  };
}

}  // namespace shardscope::inline window
