// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/partition/types/partitioned.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// Says in `program`, which came of what was partitioned, which global arrays its shards make up: all of them
// or, when one is not cut along the mesh's axes or not evenly, none.
void say_arrays(const Partitioned& partitioned, Program& program);

}  // namespace shardscope::inline session
