// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>

#include "app/window/chip/kernel_panel.h"
#include "app/window/docks/context.h"
#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

// The Kernel dock in the window, and the way from a run down into a chip and back.
KernelPanel* make_kernel(const Context& context);
// The dock's, on its own page unless grouped products stand before it there: it has the window's transport
// and keys; else null.
KernelPanel* kernel_in_front(const Context& context);
// The kernel that stands for an instruction of the shown run (-1: the selected one) in the Kernel dock; says
// in the status bar why when none does.
void open_in_chip(const Context& context, int32_t instruction = -1);
// One entry: the kernel that would be opened, or why there is none.
void offer_chip(const Context& context, QMenu& menu, int32_t instruction);
// The same as the context menu of a canvas of the run.
void offer_chip_on(const Context& context, RunCanvas& canvas);

}  // namespace shardscope::inline window
