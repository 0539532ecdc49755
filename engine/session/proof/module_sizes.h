// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"
#include "engine/session/proof/size_classes.h"

namespace shardscope::inline session {

// The sizes of all dimensions of all arrays of a module and how they belong together.
struct ModuleSizes {
  SizeClasses classes;
  // By computation, instruction and leaf (in pre-order): the number of the first dimension's size.
  std::vector<std::vector<std::vector<size_t>>> first;
};
// `module`: as prepare_for_spmd makes it.
ModuleSizes module_sizes(const Program& module);

}  // namespace shardscope::inline session
