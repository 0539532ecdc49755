// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/studies/atlas_panel.h"
#include "app/window/studies/calibration_panel.h"
#include "app/window/studies/crossover_panel.h"
#include "app/window/studies/tuner_panel.h"

namespace shardscope::inline window {

// Studies in the window: a row of theirs becomes the experiment and runs, what they found is exported.
TunerPanel* make_tuner(const Context& context);
CrossoverPanel* make_crossover(const Context& context);
CalibrationPanel* make_calibration(const Context& context);
AtlasPanel* make_atlas_panel(const Context& context);  // opens a sharding as a module

}  // namespace shardscope::inline window
