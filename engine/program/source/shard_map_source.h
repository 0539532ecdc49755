// SPDX-License-Identifier: Apache-2.0
// A program as users write it themselves: Python with jax.shard_map.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// A whole Python file: the mesh, a function of what one device does, an instruction a line, shard_map around
// it, and a main part that calls it on small integers and, where the program says what its outputs are,
// compares with NumPy. It needs JAX, and as many devices as the mesh has; without them JAX's CPU plays them.
// An array whose shards are not known as a PartitionSpec has a leading dimension of devices. Errors name what
// JAX has no word for.
Result<std::string> shard_map_source(const Program& program, std::string_view title);

}  // namespace shardscope::inline program
