// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// The same module with smaller arrays: the same operations, shardings, loops and devices, dimensions that
// belong together shrunk together; what divides still divides, what does not still leaves the same remainder.
struct ShrunkModule {
  Program module;
  double scale = 1;  // elements of its arrays, of all
};
// `module`: as prepare_for_spmd makes it. Error: nothing of it can be made smaller.
Result<ShrunkModule> shrink_module(const Program& module);

}  // namespace shardscope
