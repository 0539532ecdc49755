// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/module/hlo_panel.h"

namespace shardscope::inline window {

// The HLO dock in the window: its files.
HloPanel* make_hlo(const Context& context);
HloPanel& hlo_of(const Context& context);
bool has_module(const Context& context);  // one is open
// Whether this is what Save and the title are about.
bool at_module(const Context& context);

void choose_module(const Context& context);  // asks which file
void save_module(const Context& context);    // asks where, when it has no file
void save_module_as(const Context& context);
void save_partitioned(const Context& context);
void export_collectives(const Context& context);
// The stages of the open module side by side as one page.
void export_stages(const Context& context);
// What each device does as Python with jax.shard_map: for the open module, and for the run that is shown.
void export_jax_of_module(const Context& context);
void export_jax_of_run(const Context& context);
// The open module beside the partitioned program, what it was, a built-in one or a file.
void compare_module(const Context& context);
// Asks whether edits are to be saved that its file lacks. False: neither saved nor given up.
bool may_leave_module(const Context& context);

}  // namespace shardscope::inline window
