// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/hardware/compile_as.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline backend {

// What a user of the chip would compile with: what its file says; of a file that says nothing by the systolic
// array of its products (mxu) a TPU, and where bf16 takes longer than f32, since it is converted to it, a
// CPU.
CompileAs compiler_of(const Hardware& hardware);

}  // namespace shardscope::inline backend
