// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/run/run.h"
#include "engine/run/trace_source.h"
#include "engine/story/holdings.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

// A run with all that canvases read of it. Immutable, shared by the views.
struct ShownRun {
  RunPtr run;
  std::shared_ptr<const TraceSource> trace;
  std::shared_ptr<const Holdings> holdings;  // none when the program's data movement cannot be followed
  std::vector<TraceSource::Step> steps;

  ViewInput input() const { return {*run, *trace, holdings.get()}; }
};
using ShownRunPtr = std::shared_ptr<const ShownRun>;

ShownRunPtr show(RunPtr run);

// The step that `item` belongs to, or -1: by its event, else the first event of its instruction (on its
// device).
int32_t step_of(const ShownRun& shown, const ItemId& item);

}  // namespace shardscope
