// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/module/hlo_panel.h"

namespace shardscope {

// The HLO dock in the window: its files.
HloPanel* make_hlo(const Context& context);

bool is_module(const QString& path);  // by its ending
// An experiment, a workspace or a module; a module goes to its dock.
Result<void> open_file(const Context& context, const QString& path);
// The same; says in the status bar what went wrong, and remembers what went well.
void open_path(const Context& context, const QString& path);

}  // namespace shardscope
