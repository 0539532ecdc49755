// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/compile_as.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Operations of the vector units in a fused computation: an element is computed as often as its readers ask
// for it, but what is reduced along whole rows once a row. Of transcendental functions several each, as many
// as that compiler takes them for.
double recomputed_operations(const Computation& fused, CompileAs as);

// As XLA's cost model for GPUs weighs a kernel.
struct WeighedOnGpu {
  double operations = 0;
  // What it reads of its inputs after the first time, from caches that are faster than memory: in bytes of
  // memory that take as long.
  double bytes_again = 0;
};
// `fast_bytes`: of the chip's cache, half of it close by.
WeighedOnGpu weighed_on_gpu(const Computation& fused, double fast_bytes);

}  // namespace shardscope::inline backend
