// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/window/document/shown_run.h"
#include "engine/report/residual/residual.h"
#include "views/scene/compare/beside.h"

namespace shardscope::inline window {

// A shown run beside a measured trace, with all that the canvas reads of them. Immutable.
struct ShownBeside {
  ShownRunPtr shown;
  MeasuredBeside beside;
  ViewInput run;

  BesideInput input() const { return {run, *beside.trace, beside.residual}; }
};
using ShownBesidePtr = std::shared_ptr<const ShownBeside>;

}  // namespace shardscope::inline window
