// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/scattered_sums.h"

namespace shardscope::inline backend {

// Collectives of that operation that go the same way and do not wait for each other become one of several
// arrays, up to `most` bytes of results together. Names of what was made, with what it stands for.
PassLinks combine_collectives(const Program& program, Computation& computation, Opcode opcode, int64_t most);

}  // namespace shardscope::inline backend
