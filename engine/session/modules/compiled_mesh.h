// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope {

// The mesh of a module that a compiler printed, which names none: the one with the fewest axes (x, y, z, w)
// on which the groups of every collective lie along axes. The module's own where it has axes, and where there
// is no such mesh.
Mesh compiled_mesh(const Program& module);

}  // namespace shardscope
