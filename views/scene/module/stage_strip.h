// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/program/stages/strip.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct StripView {
  int left = -1, right = -1;                    // the stages whose texts are seen; -1: none
  std::vector<std::vector<int32_t>> related{};  // by stage instructions that belong together; empty: none
};

// A module's stages from left to right: what each has, what it changed of the one that it was made from, and
// where in each the instructions stand that belong together: a tick by their place in its text. Items: step,
// by the stage's place.
Scene layout_stage_strip(const StageStrip& strip, const StripView& view, const Canvas& canvas);
// Height in pixels that the strip wants at this scale.
float stage_strip_height(const Theme& theme);
// "+12 −3 ~4": new, gone, changed; "=": nothing.
std::string change_text(const StripStage& stage);
// A stage in words: its counts, what it did, which stage it was made from.
std::vector<std::string> stage_words(const StageStrip& strip, size_t stage);

}  // namespace shardscope::inline views
