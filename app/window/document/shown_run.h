// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "engine/program/analysis/outline.h"
#include "engine/run/run.h"
#include "engine/run/trace_source.h"
#include "engine/story/story.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

// A run with all that canvases read of it. Immutable, shared by the views.
struct ShownRun {
  RunPtr run;
  std::shared_ptr<const TraceSource> trace;
  std::shared_ptr<const Story> story;  // none when what happened cannot be told, or not yet
  bool telling = false;                // the story is on its way
  std::shared_ptr<const EqualDevices> equal;
  std::shared_ptr<const Outline> outline;  // of a long program; none: it is read as it is
  std::shared_ptr<const RunSums> sums;     // with the story, or without one when there is none

  ViewInput input() const {
    return {*run, *trace, story.get(), telling, equal.get(), nullptr, nullptr, sums.get()};
  }
};
using ShownRunPtr = std::shared_ptr<const ShownRun>;

ShownRunPtr show(RunPtr run);  // its story is still to be told
ShownRunPtr with_story(const ShownRunPtr& shown, const std::stop_token& stop);

// A moment inside what `item` names: its event, else the first event of its instruction (on its device), or
// the end of its beat.
std::optional<Picoseconds> moment_of(const ShownRun& shown, const ItemId& item);

}  // namespace shardscope
