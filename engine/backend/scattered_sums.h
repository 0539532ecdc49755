// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/pass.h"

namespace shardscope::inline backend {

// An all-reduce whose one reader is a dynamic-slice by which each device of a group keeps another part
// becomes a reduce-scatter. Names of what was made, with what it stands for.
PassLinks scatter_sums(const Program& program, Computation& computation);

}  // namespace shardscope::inline backend
