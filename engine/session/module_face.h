// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/partition/types/partitioned.h"
#include "engine/run/run_ends.h"

namespace shardscope::inline session {

// What makes runs of modules rivals; null: it came partitioned. Of a module that was partitioned here its own
// parameters and results; of one that came partitioned those of one device.
ModuleFace module_face(const Program& program, const Partitioned* partitioned);

}  // namespace shardscope::inline session
