// SPDX-License-Identifier: Apache-2.0
// Where the time of several runs goes: a stacked bar each, on one axis.
#pragma once

#include <string>
#include <vector>

#include "engine/run/terms.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct TermBar {
  std::string name;
  Terms terms{};          // they add up to the run's total
  Picoseconds price = 0;  // beside it: to come from and go to other shardings
  bool best = false;
};

// As high as it must be for its bars; of the canvas the width counts.
Scene layout_term_bars(const std::vector<TermBar>& bars, const Canvas& canvas);
// The tornado alone: what 10 % more of each parameter would give, the most helpful first. As high as it must
// be.
Scene layout_tornado(const std::vector<Sensitivity>& sensitivities, const Canvas& canvas);

}  // namespace shardscope::inline views
