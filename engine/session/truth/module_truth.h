// SPDX-License-Identifier: Apache-2.0
// Whole modules whose time was measured, beside what the simulation says.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/study/truth.h"

namespace shardscope::inline session {

// A module with its measured time: as its compiler left it, and as it was before.
struct MeasuredModule {
  std::string name, chip;
  double measured_s = 0;
  std::string compiled, source;  // texts; "": not there
};

// Those that are shipped (presets/measured/modules), of an H200.
Result<std::vector<MeasuredModule>> shipped_modules();
// A folder of NAME/compiled.hlo and NAME/stablehlo.mlir, one of them at least, and a times.csv with the
// columns module, chip and measured_us. Errors name file and line.
Result<std::vector<MeasuredModule>> read_measured_modules(const std::string& folder);

// Each text timed on the chip, compiled ones as they are, others as that chip's compiler would fuse them:
// kinds "module, compiled" and "module, before compilation". A module is fitted to where a chip's
// [sources] name it ("profile of the module layer"). Error: stopped.
Result<std::vector<TruthPoint>> truth_of_modules(const std::vector<MeasuredModule>& modules,
                                                 const std::stop_token& stop);

}  // namespace shardscope::inline session
