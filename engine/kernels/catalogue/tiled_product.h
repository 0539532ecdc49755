// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/program/builder.h"

namespace shardscope::kernels {

// out = a · b of buffers in hbm as a pipeline of tiles of options bm, bn, bk (default 32), with an f32
// scratch of its own. Its statements all stand on the caller's line.
void emit_gemm(Kernel& k, const Ref& a, const Ref& b, const Ref& out, At at = At::current());

}  // namespace shardscope::kernels
