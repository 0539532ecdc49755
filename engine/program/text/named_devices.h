// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// How many devices the groups and pairs of a module's collectives ask for; where there are any, no fewer than
// its shardings and its meshes name. 0: it has none that name devices. A lowered module does not say
// num_partitions, and its manual computations count all devices of the mesh.
int64_t named_devices(const Program& program);

}  // namespace shardscope::inline program
