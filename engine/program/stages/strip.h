// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/program/stages/matching.h"

namespace shardscope::inline program {

// A stage of a module with how it came from the one that it names.
struct StripStage {
  StagePtr stage;
  std::string title;              // "propagated", "all-gather-combiner"
  std::vector<std::string> said;  // what was done there: sentences
  int before = -1;                // place of the stage that it was made from; -1: it was read
  int64_t instructions = 0, collectives = 0;
  ModuleMatching from{};  // the one before, and this
  // Of `from`: instructions that are new here, that changed, and of the one before that are gone.
  int64_t added = 0, changed = 0, gone = 0;
};
// All stages of a module in the order in which they were made.
using StageStrip = std::vector<StripStage>;

// By stage the instructions that belong with one of them: where it comes from, and what all that led to.
std::vector<std::vector<int32_t>> related_in(const StageStrip& strip, size_t stage, int32_t instruction);

}  // namespace shardscope::inline program
