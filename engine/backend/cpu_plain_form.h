// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// The same as XLA's compiler for CPUs simplifies it before it looks at arrays: products read matrices that
// are transposed for them as they lie (its TransposeFolding) and are exchanged where their result is, a
// scatter of one window is an update (ScatterExpander), a convolution reads and gives rows, and one in groups
// of batches is one of all with all, of which each group's block is kept (ConvolutionGroupConverter).
Computation in_plain_form(const Program& program, const Computation& computation, FreshNames& fresh);

}  // namespace shardscope::inline backend
