// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_window.h"

namespace shardscope {
int run_window(int, char**, const WindowOptions&) { return 0; }
}  // namespace shardscope
