// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/results/runs_table.h"
#include "app/window/runs/program_panel.h"

namespace shardscope::inline window {

// The table of the workbench's runs; what is selected in it is shown.
RunsTable* make_runs(const Context& context);
void bring_in(const Context& context);  // runs of another workspace, asked for by its file
ProgramPanel* make_program(const Context& context);

}  // namespace shardscope::inline window
