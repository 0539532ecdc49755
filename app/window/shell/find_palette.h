// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"

namespace shardscope::inline window {

// A palette of the shown run's instructions and devices; the one chosen is selected.
void show_find(const Context& context);

}  // namespace shardscope::inline window
