// SPDX-License-Identifier: Apache-2.0
// What of an experiment decides what comes out of its runs.
#pragma once

#include <string>

#include "engine/request/experiment.h"

namespace shardscope::inline request {

// Without texts, and without which runs are asked for.
Experiment decisive(Experiment experiment);
// Mesh, problem, chip, how communication runs: what a title speaks of. Values that are filled in and how they
// are checked are not.
bool same_setting(const Experiment& a, const Experiment& b);
// "row=2,col=4: [256,256]·[256,256] in bf16 on tpu-v5e".
std::string setting_words(const Experiment& experiment);

}  // namespace shardscope::inline request
