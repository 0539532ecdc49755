// SPDX-License-Identifier: Apache-2.0
// How large a mesh this machine carries. One rule for forms that refuse a size while it is typed and for the
// check of what can run.
#pragma once

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline session {

// Bytes that planning and timing a run on `mesh` take at the most: what wang.os took, of which every device
// sends in every step of a ring, on 1,024 to 16,384 devices. Strategies that do less take less.
double bytes_for_runs_on(const Mesh& mesh);

// Refuses (too_big) a mesh whose runs want more memory than is free here, and says how many devices along its
// longest axis would do.
Result<void> check_size_of(const Mesh& mesh);
Result<void> check_size_of(const Mesh& mesh, double free_bytes);  // the same where so much is free

}  // namespace shardscope::inline session
