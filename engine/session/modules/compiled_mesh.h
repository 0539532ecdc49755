// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// The mesh of a module that a compiler printed, which names none: the one with the fewest axes (x, y, z, w)
// on which the groups of every collective lie along axes. The module's own where it has axes, and where there
// is no such mesh.
Mesh compiled_mesh(const Program& module);

// A module whose collectives are between replicas, and that says nothing of partitions: each replica is a
// device, as many as it says or as are asked for. None: it is no such module.
std::optional<Program> replicas_as_devices(const Program& module, std::optional<int64_t> asked);

}  // namespace shardscope::inline session
