// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/pass.h"

namespace shardscope::inline backend {

// A permute of at least so many bytes, each device to the next one round one ring (or to the one before),
// becomes two that do not form a ring: the pair that closes it, and the others; who receives by the first
// takes it by a select. So neither waits for all devices (xla/service/gpu/transforms/
// collective_permute_cycle_decomposer.cc). XLA goes on and writes each as send and recv, which move the same.
PassEffect open_permute_rings(Program& program, int64_t least_bytes);

}  // namespace shardscope::inline backend
