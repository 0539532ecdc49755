// SPDX-License-Identifier: Apache-2.0
// Runs of one experiment before a class: a table of what each takes beside its lanes, on one time axis.
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct TogetherRun {
  std::string name;  // as texts call it
  ViewInput input;
};
// Before a prediction is made a picture says what each run does, not how long that takes.
enum class TogetherSays : bool { plans, times };
// Items: candidate, a run by its place in `index`; events, their run in `index`.
Scene layout_together(const std::vector<TogetherRun>& runs, TogetherSays says, const Canvas& canvas);

}  // namespace shardscope::inline views
