// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

// The canvas that moves as `view` says.
RunCanvas* make_run_canvas(const RunView& view, Clock& clock, QWidget* parent);

}  // namespace shardscope::inline window
