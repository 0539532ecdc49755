// SPDX-License-Identifier: Apache-2.0
// Commands inside the chip.
#include "app/window/docks/dock_area.h"
#include "app/window/docks/kernel_dock.h"
#include "app/window/document/language.h"
#include "app/window/shell/commands.h"

namespace shardscope {
namespace {

constexpr const char* kKernelMenu = to_say("&Kernel");

KernelPanel& kernel(const Context& c) {
  return *c.docks.widget<KernelPanel>("kernel");
}

KernelPanel& shown_kernel(const Context& c) {
  c.docks.go("kernel");
  return kernel(c);
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
       .run = [](const Context& c) { kernel(c).player().lookAtNext(1); }},
      {.id = "kernel.previous_finding",
       .menu = kKernelMenu,
       .title = "&Previous finding"_tr,
       .keys = {QKeySequence("Shift+F8")},
       .run = [](const Context& c) { kernel(c).player().lookAtNext(-1); }},
      {.id = "kernel.fix",
       .menu = kKernelMenu,
       .title = "Fix it: the &mended twin beside"_tr,
       .keys = {QKeySequence("Ctrl+Shift+F")},
       .run = [](const Context& c) { shown_kernel(c).tabs()->fixIt(); }},
      {.id = "kernel.play",
       .menu = kKernelMenu,
       .title = "Play the &schedule"_tr,
       .run = [](const Context& c) { kernel(c).player().play(!kernel(c).player().playing()); },
       .line = true},
  };
}

}  // namespace shardscope
