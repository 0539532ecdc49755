// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"

namespace shardscope::inline backend {

// XLA's FloatNormalization for GPUs: functions that their vector units have no 16-bit form of are computed in
// f32 and rounded, bit for bit as before.
void widen_functions(Computation& computation, FreshNames& fresh);

}  // namespace shardscope::inline backend
