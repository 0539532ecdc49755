// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/module/hlo_panel.h"

namespace shardscope {

// The HLO dock in the window: its files.
HloPanel* make_hlo(const Context& context);

}  // namespace shardscope
