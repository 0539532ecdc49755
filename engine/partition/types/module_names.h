// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/stages/stage.h"

namespace shardscope::inline partitioner {

// What the module that was read calls the instructions of what was prepared for partitioning from `before`.
// Both outlive it.
class ModuleNames {
 public:
  ModuleNames(const ModuleStage& before, const RenamedInstructions& renamed)
      : before_(before), renamed_(renamed) {}
  std::string plain(const Instruction& prepared) const;
  std::string display_name(const Instruction& prepared) const;  // display_name there

 private:
  const ModuleStage& before_;
  const RenamedInstructions& renamed_;
};

}  // namespace shardscope::inline partitioner
