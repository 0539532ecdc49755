// SPDX-License-Identifier: Apache-2.0
// XLA's DotMerger: products that share a side are one product of it and of the other sides side by side.
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Products whose dimension numbers are the same, that read the same array on the same side and of which none
// waits for another, become one, where the other side and the result of each are at most 64 MiB: so XLA of
// JAX 0.11.2 does it (xla/hlo/transforms/simplifiers/dot_merger.cc; there its limit is a flag). Parts of its
// result stand for them, bit for bit.
void merge_products(Computation& computation, FreshNames& fresh);

}  // namespace shardscope::inline backend
